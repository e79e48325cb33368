//! From values to colour and extinction.

use thiserror::Error;

use crate::colour::Colour;

/// Colour and extinction of values, each by points with straight lines between them; beyond the
/// first and the last point both stay as they are there. Colours are mixed as light. Points at the
/// same value make a step.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferFunction {
    colours: Vec<(f32, Colour)>,
    extinctions: Vec<(f32, f32)>,
}

/// Why points make no transfer function.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TransferError {
    /// Nothing to go by.
    #[error("a transfer function needs at least one point of {of}")]
    Empty {
        /// `colour` or `extinction`.
        of: &'static str,
    },
    /// A number that cannot be used.
    #[error("point {number} of {of} has {problem}")]
    Point {
        /// `colour` or `extinction`.
        of: &'static str,
        /// Which point, from 0.
        number: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// More than a table resolves.
    #[error("{count} points of {of} are too many; up to {MAX_POINTS} are possible")]
    TooMany {
        /// `colour` or `extinction`.
        of: &'static str,
        /// How many there are.
        count: usize,
    },
}

/// The most points of either kind.
pub const MAX_POINTS: usize = 4096;

impl TransferFunction {
    /// From points of colour, and of extinction \[1/m\], each in the order of their values.
    pub fn new(
        colours: Vec<(f32, Colour)>,
        extinctions: Vec<(f32, f32)>,
    ) -> Result<Self, TransferError> {
        check(
            "colour",
            colours.iter().map(|(value, colour)| {
                let fits = colour.0.iter().all(|c| c.is_finite() && *c >= 0.0);
                (*value, (!fits).then_some("a component that is not a number of at least 0"))
            }),
        )?;
        check(
            "extinction",
            extinctions.iter().map(|(value, extinction)| {
                let fits = extinction.is_finite() && *extinction >= 0.0;
                (*value, (!fits).then_some("an extinction that is not a number of at least 0"))
            }),
        )?;
        Ok(Self { colours, extinctions })
    }

    /// The same with opacities instead of extinctions, as other programs have them: the part of the
    /// light, from 0 to below 1, that `distance` \[m\] of the value takes.
    pub fn from_opacities(
        colours: Vec<(f32, Colour)>,
        opacities: &[(f32, f32)],
        distance: f32,
    ) -> Result<Self, TransferError> {
        let extinction = |&(value, opacity): &(f32, f32)| (value, -(-opacity).ln_1p() / distance);
        Self::new(colours, opacities.iter().map(extinction).collect())
    }

    /// Points of colour, in the order of their values.
    pub fn colours(&self) -> &[(f32, Colour)] {
        &self.colours
    }

    /// Points of extinction \[1/m\], in the order of their values.
    pub fn extinctions(&self) -> &[(f32, f32)] {
        &self.extinctions
    }

    /// Least and greatest value of any point.
    pub fn range(&self) -> [f32; 2] {
        let values = self.colours.iter().map(|p| p.0).chain(self.extinctions.iter().map(|p| p.0));
        values.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    }

    /// The same function stretched so that its range becomes `range`. A range without extent, or one
    /// that is not finite, changes nothing.
    pub fn over(mut self, range: [f32; 2]) -> Self {
        let [low, high] = self.range().map(f64::from);
        let [to_low, to_high] = range.map(f64::from);
        let span = to_high - to_low;
        if span > 0.0 && span.is_finite() {
            let factor = if high > low { span / (high - low) } else { 0.0 };
            let moved = |v: f32| (to_low + (f64::from(v) - low) * factor) as f32;
            self.colours.iter_mut().for_each(|p| p.0 = moved(p.0));
            self.extinctions.iter_mut().for_each(|p| p.0 = moved(p.0));
        }
        self
    }

    /// The same function for bodies that are `length` \[m\] across instead of one metre: seen
    /// through, they look as dense. A length that is not positive changes nothing.
    pub fn across(mut self, length: f32) -> Self {
        let factor = 1.0 / length;
        let most = self.extinctions.iter().fold(0.0, |most: f32, p| most.max(p.1));
        if factor > 0.0 && (most * factor).is_finite() {
            self.extinctions.iter_mut().for_each(|p| p.1 *= factor);
        }
        self
    }

    /// The colour of a value.
    pub fn colour(&self, value: f32) -> Colour {
        let mix = |a: Colour, b: Colour, t: f32| Colour(a.vec().mix(b.vec(), t).into());
        at(&self.colours, value, mix)
    }

    /// The extinction of a value \[1/m\].
    pub fn extinction(&self, value: f32) -> f32 {
        at(&self.extinctions, value, |a, b, t| a + (b - a) * t)
    }
}

fn check(
    of: &'static str,
    points: impl ExactSizeIterator<Item = (f32, Option<&'static str>)>,
) -> Result<(), TransferError> {
    let count = points.len();
    if count == 0 {
        return Err(TransferError::Empty { of });
    } else if count > MAX_POINTS {
        return Err(TransferError::TooMany { of, count });
    }
    let mut last = f32::NEG_INFINITY;
    for (number, (value, problem)) in points.enumerate() {
        let problem = match problem {
            _ if !value.is_finite() => Some("a value that is not finite"),
            _ if value < last => Some("a lower value than the point before it; sort them"),
            other => other,
        };
        if let Some(problem) = problem {
            return Err(TransferError::Point { of, number, problem });
        }
        last = value;
    }
    Ok(())
}

/// What is between the two points round `value`. At a step it is what comes after.
fn at<T: Copy>(points: &[(f32, T)], value: f32, mix: impl Fn(T, T, f32) -> T) -> T {
    let next = points.partition_point(|p| p.0 <= value);
    match (next.checked_sub(1).map(|i| points[i]), points.get(next)) {
        (Some((_, before)), None) => before,
        (Some((from, before)), Some(&(to, after))) => {
            mix(before, after, (value - from) / (to - from))
        }
        // Every function has at least one point.
        (None, _) => points[0].1,
    }
}
