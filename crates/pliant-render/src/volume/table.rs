//! Integrals of a transfer function: what a segment of a ray absorbs and emits.
//!
//! Between values s₀ and s₁ a segment has, on the average, the extinction (T(s₁) − T(s₀)) / (s₁ − s₀)
//! with T = ∫τ ds, and the emission (K(s₁) − K(s₀)) / (s₁ − s₀) with K = ∫τc ds (Engel, Kraus and Ertl
//! 2001, "High-quality pre-integrated volume rendering", section 4.2). T and K are integrated exactly
//! and kept at even steps of the value; between them τ counts as even, so that extinction is resolved
//! to one part in 1024 of the range of the transfer function.
//!
//! A segment of optical depth d takes 1 − exp(−d) of the light, exactly. For its colour, what it emits
//! counts as mixed evenly within the segment: with a difference Δc between its ends that is off by
//! Δc d² / 12 at most. Segments of more than [`THICK`] are therefore divided, which leaves 0.005 Δc.

use super::Look;
use super::four::Four;
use crate::colour::Colour;

/// Steps of the table.
pub(crate) const STEPS: usize = 1024;
/// Segments of more optical depth are divided.
pub(crate) const THICK: f32 = 0.25;
/// A ray ends where less than this of the light behind it would be seen.
pub(crate) const OPAQUE: f32 = 1e-3;
/// A segment is divided into this many parts at the most; thicker ones hide everything behind them
/// within a few.
pub(crate) const MAX_PARTS: f32 = 256.0;

/// The least width of a table, in units of the value.
const NARROWEST: f64 = 1e-34;

/// Integrals of a transfer function at even steps of the value.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The value at the beginning, and steps per value.
    pub low: f32,
    pub scale: f32,
    /// ∫τ and ∫τc over the steps before; the last entry is there twice, so that there always is a next.
    pub integrals: Box<[[f32; 4]; STEPS + 2]>,
    /// τ and τc.
    pub densities: Box<[[f32; 4]; STEPS + 2]>,
}

impl Table {
    pub fn new(look: &Look) -> Self {
        let transfer = &look.transfer;
        let [low, high] = transfer.range().map(f64::from);
        // A function of one value only is a step there. Steps of the table must not be so narrow that
        // single precision has no number for how many there are.
        let width = if high > low { high - low } else { (1e-6 * low.abs()).max(1e-12) };
        let width = width.max(NARROWEST);
        let step = width / STEPS as f64;
        // Both functions are straight between these.
        let mut kinks: Vec<f64> = transfer.colours().iter().map(|p| f64::from(p.0)).collect();
        kinks.extend(transfer.extinctions().iter().map(|p| f64::from(p.0)));
        kinks.sort_by(f64::total_cmp);
        let (mut sum, mut kink) = ([0.0f64; 4], 0);
        let mut integrals = Box::new([[0.0; 4]; STEPS + 2]);
        for i in 0..STEPS {
            let (mut from, to) = (low + step * i as f64, low + step * (i + 1) as f64);
            while from < to {
                while kinks.get(kink).is_some_and(|&k| k <= from) {
                    kink += 1;
                }
                let end = kinks.get(kink).copied().unwrap_or(to).min(to);
                let part = integral(look, from, end);
                sum = std::array::from_fn(|k| sum[k] + part[k] / step);
                from = end;
            }
            integrals[i + 1] = sum.map(|s| s as f32);
        }
        integrals[STEPS + 1] = integrals[STEPS];
        let at = |i: usize| density(look, low + step * i as f64).map(|d| d as f32);
        Self {
            low: low as f32,
            scale: (1.0 / step) as f32,
            integrals,
            densities: Box::new(std::array::from_fn(|i| at(i.min(STEPS)))),
        }
    }

    /// The place of a value in the table.
    pub fn place(&self, value: f32) -> f32 {
        (value - self.low) * self.scale
    }

    /// The integrals up to a place.
    #[inline(always)]
    pub fn integral(&self, place: f32) -> Four {
        let inside = limited(place);
        // SAFETY: limited to the table; what is not a number is replaced by 0.
        let integral = unsafe { between(&self.integrals, inside) };
        if inside == place { integral } else { self.beyond(integral, place - inside) }
    }

    /// What is before and behind the table stays as it is at its ends.
    #[cold]
    fn beyond(&self, integral: Four, by: f32) -> Four {
        let end = if by < 0.0 { 0 } else { STEPS };
        integral + Four::load(&self.densities[end]) * Four::all(by)
    }

    /// Mean extinction, and mean emission of red, green and blue, from place to place, given the
    /// integrals up to both.
    #[inline(always)]
    pub fn mean(&self, from: f32, to: f32, integral_from: Four, integral_to: Four) -> Four {
        if (limited(to) - limited(from)).abs() < 1.0 {
            // Too close to each other, or too far beyond the same end, for differences of integrals.
            let middle = limited(0.5 * (from + to));
            // SAFETY: limited to the table; what is not a number is replaced by 0.
            unsafe { between(&self.densities, middle) }
        } else {
            (integral_to - integral_from) * Four::all(1.0 / (to - from))
        }
    }
}

/// The nearest place inside the table; its beginning for what is not a number.
#[inline(always)]
fn limited(place: f32) -> f32 {
    place.max(0.0).min(STEPS as f32)
}

/// Between the two nearest entries of a table.
///
/// # Safety
///
/// The place is from 0 to [`STEPS`].
#[inline(always)]
unsafe fn between(entries: &[[f32; 4]; STEPS + 2], place: f32) -> Four {
    debug_assert!((0.0..=STEPS as f32).contains(&place));
    // SAFETY: it is a number from 0 to `STEPS`.
    let i = unsafe { place.to_int_unchecked::<i32>() };
    // SAFETY: tables have two entries more than they have steps.
    let [first, second] = unsafe {
        [entries.get_unchecked(i as usize), entries.get_unchecked(i as usize + 1)].map(Four::load)
    };
    first + (second - first) * Four::all(place - i as f32)
}

/// τ and τc at a value.
fn density(look: &Look, value: f64) -> [f64; 4] {
    let extinction = f64::from(look.transfer.extinction(value as f32) * look.opacity);
    let Colour([r, g, b]) = look.transfer.colour(value as f32);
    [1.0, f64::from(r), f64::from(g), f64::from(b)].map(|c| c * extinction)
}

/// ∫τ ds and ∫τc ds where both are straight: Gauss's rule of two points is exact for their product.
fn integral(look: &Look, from: f64, to: f64) -> [f64; 4] {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let aside = half / 3f64.sqrt();
    let (one, other) = (density(look, middle - aside), density(look, middle + aside));
    std::array::from_fn(|k| (one[k] + other[k]) * half)
}

/// What has come together of a ray: how much is still seen of what is behind, then red, green and blue.
pub(crate) const CLEAR: [f32; 4] = [1.0, 0.0, 0.0, 0.0];

/// (1 − exp(−d)) / d for d up to [`THICK`], within 2e-6.
#[inline(always)]
fn share(d: f32) -> f32 {
    1.0 - d * (0.5 - d * (1.0 / 6.0 - d * (1.0 / 24.0 - d * (1.0 / 120.0))))
}

/// Adds a segment behind what there is. `mean` is that of [`Table::mean`].
#[inline(always)]
pub(crate) fn absorb(
    light: Four,
    table: &Table,
    mean: Four,
    values: [f32; 2],
    length: f32,
) -> Four {
    let depth = mean * Four::all(length);
    let d = depth.at::<0>();
    if d > THICK {
        return absorb_thick(light, table, values, length, d);
    }
    taken(light, depth, share(d))
}

/// Adds what has this optical depth, and emits this much, behind what there is.
pub(crate) fn absorb_part(light: Four, depth: Four) -> Four {
    let d = depth.at::<0>();
    let share = if d > 1e-4 { -(-d).exp_m1() / d } else { 1.0 };
    taken(light, depth, share)
}

/// What is left of the light behind, and what is added before it.
#[inline(always)]
fn taken(light: Four, depth: Four, share: f32) -> Four {
    light + depth * Four::all(light.at::<0>() * share) * Four::from([-1.0, 1.0, 1.0, 1.0])
}

/// The same in parts.
#[cold]
fn absorb_thick(light: Four, table: &Table, values: [f32; 2], length: f32, d: f32) -> Four {
    let parts = (d / THICK).ceil().min(MAX_PARTS);
    let step = (values[1] - values[0]) / parts;
    let mut light = light;
    let (mut from, mut before) = (values[0], table.integral(values[0]));
    for part in 1..=parts as u32 {
        let to = values[0] + step * part as f32;
        let up_to = table.integral(to);
        let depth = table.mean(from, to, before, up_to) * Four::all(length / parts);
        light = absorb_part(light, depth);
        (from, before) = (to, up_to);
    }
    light
}

/// Adds a surface behind what there is.
pub(crate) fn cover(light: Four, colour: Colour, opacity: f32) -> Four {
    let Colour([r, g, b]) = colour;
    light + Four::from([-1.0, r, g, b]) * Four::all(light.at::<0>() * opacity)
}
