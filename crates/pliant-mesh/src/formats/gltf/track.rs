//! A quantity over time: keys, and what lies between them (section 3.11 and appendix C).

use std::sync::Arc;

use super::accessor::Use;
use super::moving::Sampler;
use super::store::Store;
use super::transform::{Quaternion, slerp, unit};
use crate::{ReadError, Result};

/// What lies between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interpolation {
    /// The key before.
    Step,
    /// The straight way; for rotations the arc.
    Linear,
    /// A cubic with given tangents. A key then has three parts: the tangent that comes in, the value and
    /// the tangent that goes out.
    CubicSpline,
}

/// What the numbers of a track are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A translation or a scale.
    Vector,
    /// A unit quaternion.
    Rotation,
    /// A weight for each of so many morph targets.
    Weights(usize),
}

impl Quantity {
    fn width(self) -> usize {
        match self {
            Quantity::Vector => 3,
            Quantity::Rotation => 4,
            Quantity::Weights(count) => count,
        }
    }
}

/// A quantity over time. Before its first and behind its last key it does not change.
#[derive(Clone, Debug)]
pub(super) struct Track {
    /// Strictly rising, at least one \[s\].
    times: Arc<[f64]>,
    values: Arc<[f64]>,
    width: usize,
    interpolation: Interpolation,
}

/// Between which keys a moment lies.
struct Moment {
    key: usize,
    /// How far on the way to the next key, from 0 to 1; 0 where there is none.
    share: f64,
    /// From this key to the next \[s\].
    length: f64,
}

impl Track {
    pub(super) fn read(
        store: &mut Store<'_, '_>,
        sampler: &Sampler,
        quantity: Quantity,
    ) -> Result<Self> {
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => {
                return Err(ReadError::file(format!("the interpolation {other:?} is unknown"))
                    .help("It can be STEP, LINEAR or CUBICSPLINE"));
            }
        };
        let times = store.read::<1>(sampler.input, Use::Numbers, "times of keys")?;
        check_times(&times)?;
        let (accessor, usage) = (sampler.output, Use::Numbers);
        let values = match quantity {
            Quantity::Vector => store.read::<3>(accessor, usage, "values of keys")?,
            Quantity::Rotation => store.read::<4>(accessor, usage, "values of keys")?,
            Quantity::Weights(_) => store.read::<1>(accessor, usage, "values of keys")?,
        };
        let track = Self { times, values, width: quantity.width(), interpolation };
        track.check(quantity)?;
        Ok(track)
    }

    /// Time of the last key \[s\].
    pub(super) fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or_default()
    }

    fn check(&self, quantity: Quantity) -> Result<()> {
        let keys = self.times.len();
        if keys.checked_mul(self.stride()) != Some(self.values.len()) {
            return Err(ReadError::file(format!(
                "there are {keys} keys of {} numbers, but {} numbers",
                self.stride(),
                self.values.len()
            ))
            .help("The file is damaged: export it again"));
        }
        let is_rotation = quantity == Quantity::Rotation;
        match (0..keys).find(|&key| is_rotation && unit(self.quaternion(key)).is_none()) {
            None => Ok(()),
            Some(key) => Err(ReadError::file(format!("the rotation of key {key} is zero"))
                .help("Rotations are quaternions of unit length: export it again")),
        }
    }

    /// Numbers from one key to the next.
    fn stride(&self) -> usize {
        match self.interpolation {
            Interpolation::CubicSpline => 3 * self.width,
            _ => self.width,
        }
    }

    /// A part of a key: of cubic ones 0 is the tangent in, 1 the value and 2 the tangent out.
    fn part(&self, key: usize, part: usize) -> &[f64] {
        &self.values[key * self.stride() + part * self.width..][..self.width]
    }

    fn value(&self, key: usize) -> &[f64] {
        self.part(key, usize::from(self.interpolation == Interpolation::CubicSpline))
    }

    fn quaternion(&self, key: usize) -> Quaternion {
        let value = self.value(key);
        std::array::from_fn(|k| value[k])
    }

    fn at(&self, time: f64) -> Moment {
        let key = self.times.partition_point(|t| *t <= time).saturating_sub(1);
        let start = self.times[key];
        match self.times.get(key + 1) {
            Some(next) if time > start => {
                let length = next - start;
                Moment { key, share: (time - start) / length, length }
            }
            _ => Moment { key, share: 0.0, length: 0.0 },
        }
    }

    /// Writes the value at `time` over `out`, which has as many numbers.
    pub(super) fn sample(&self, time: f64, out: &mut [f64]) {
        let Moment { key, share, length } = self.at(time);
        let before = self.value(key);
        if share == 0.0 || self.interpolation == Interpolation::Step {
            out.copy_from_slice(before);
            return;
        }
        let after = self.value(key + 1);
        if self.interpolation == Interpolation::Linear {
            for (k, out) in out.iter_mut().enumerate() {
                *out = (1.0 - share) * before[k] + share * after[k];
            }
            return;
        }
        // Hermite's cubic of appendix C.5; tangents are per second.
        let (leaving, arriving) = (self.part(key, 2), self.part(key + 1, 0));
        let [s, s2, s3] = [share, share * share, share * share * share];
        for (k, out) in out.iter_mut().enumerate() {
            *out = (2.0 * s3 - 3.0 * s2 + 1.0) * before[k]
                + length * (s3 - 2.0 * s2 + s) * leaving[k]
                + (3.0 * s2 - 2.0 * s3) * after[k]
                + length * (s3 - s2) * arriving[k];
        }
    }

    /// The vector at `time`.
    pub(super) fn vector(&self, time: f64) -> [f64; 3] {
        let mut out = [0.0; 3];
        self.sample(time, &mut out);
        out
    }

    /// The unit quaternion at `time`.
    pub(super) fn rotation(&self, time: f64) -> Quaternion {
        let Moment { key, share, .. } = self.at(time);
        let whole = |key: usize| unit(self.quaternion(key)).unwrap_or([0.0, 0.0, 0.0, 1.0]);
        if self.interpolation == Interpolation::Linear && share > 0.0 {
            return slerp(whole(key), whole(key + 1), share);
        }
        let mut out = [0.0; 4];
        self.sample(time, &mut out);
        unit(out).unwrap_or_else(|| whole(key))
    }
}

fn check_times(times: &[f64]) -> Result<()> {
    if times.is_empty() {
        return Err(ReadError::file("there are no keys").help("Export it again"));
    }
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        None => Ok(()),
        Some(i) => Err(ReadError::file(format!(
            "key {} is at {} s, after one at {} s: the times of keys must rise",
            i + 1,
            times[i + 1],
            times[i]
        ))
        .help("The file is damaged: export it again")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(interpolation: Interpolation, width: usize, times: &[f64], values: &[f64]) -> Track {
        Track { times: times.into(), values: values.into(), width, interpolation }
    }

    fn at(track: &Track, time: f64) -> Vec<f64> {
        let mut out = vec![0.0; track.width];
        track.sample(time, &mut out);
        out
    }

    #[test]
    fn steps_stay_and_lines_go_straight() {
        let step = track(Interpolation::Step, 2, &[1.0, 2.0], &[1.0, 2.0, 5.0, 6.0]);
        for (time, value) in [(-9.0, [1.0, 2.0]), (1.0, [1.0, 2.0]), (1.99, [1.0, 2.0])] {
            assert_eq!(at(&step, time), value);
        }
        assert_eq!(at(&step, 2.0), [5.0, 6.0]);
        assert_eq!(at(&step, 99.0), [5.0, 6.0]);
        let line = track(Interpolation::Linear, 1, &[1.0, 2.0, 4.0], &[0.0, 8.0, 0.0]);
        for (time, value) in [(0.0, 0.0), (1.25, 2.0), (2.0, 8.0), (3.0, 4.0), (f64::NAN, 0.0)] {
            assert_eq!(at(&line, time), [value], "{time}");
        }
    }

    /// A cubic with its own slopes as tangents is met exactly, whatever the distance of keys.
    #[test]
    fn splines_follow_a_cubic_exactly() {
        let cubic = |t: f64| t * t * t - 2.0 * t + 1.0;
        let slope = |t: f64| 3.0 * t * t - 2.0;
        let times = [0.5, 1.0, 3.0];
        let keys: Vec<f64> = times.iter().flat_map(|&t| [slope(t), cubic(t), slope(t)]).collect();
        let spline = track(Interpolation::CubicSpline, 1, &times, &keys);
        for i in 0..=20 {
            let t = 0.5 + 2.5 * f64::from(i) / 20.0;
            assert!((at(&spline, t)[0] - cubic(t)).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn rotations_are_of_unit_length_in_every_way() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let quarter = [0.0, 0.0, half, half];
        let still = [0.0, 0.0, 0.0, 1.0];
        let eighth = std::f64::consts::FRAC_PI_8;
        let line = track(Interpolation::Linear, 4, &[0.0, 1.0], &[still, quarter].concat());
        let middle = line.rotation(0.5);
        assert!(
            (middle[2] - eighth.sin()).abs() < 1e-15 && (middle[3] - eighth.cos()).abs() < 1e-15
        );
        let flat = [0.0; 4];
        let keys = [flat, still, flat, flat, quarter, flat].concat();
        let spline = track(Interpolation::CubicSpline, 4, &[0.0, 1.0], &keys);
        let length: f64 = spline.rotation(0.25).iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-15);
        // By symmetry the middle is the same.
        assert!((spline.rotation(0.5)[2] - eighth.sin()).abs() < 1e-15);
    }
}
