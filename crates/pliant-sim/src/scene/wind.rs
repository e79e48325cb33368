//! The air that bodies move in.

use serde::{Deserialize, Serialize};

/// Air that moves, or rests, and acts on the surface of every body: on both sides of triangles, on the outside of
/// solids.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wind {
    /// Velocity of the air between gusts \[m/s\]; zero is air at rest.
    pub velocity: [f64; 3],
    /// How much gusts change the wind along each axis at most, in parts of its speed.
    pub gust: f64,
    /// Time from gust to gust \[s\].
    pub gust_period: f64,
    /// Density of the air \[kg/m³\].
    pub density: f64,
    /// Coefficient of drag, against the motion through the air.
    pub drag: f64,
    /// Coefficient of lift, across that motion. Without drag there is no lift.
    pub lift: f64,
    /// Which gusts: other numbers, other gusts.
    pub seed: u32,
}

impl Default for Wind {
    fn default() -> Self {
        Self {
            velocity: [0.0; 3],
            gust: 0.0,
            gust_period: 2.0,
            density: 1.2,
            drag: 1.2,
            lift: 1.0,
            seed: 0,
        }
    }
}

impl Wind {
    /// Velocity of the air at `time` \[s\] \[m/s\]: a smooth function of the time alone, so that runs, resumed runs
    /// and films agree.
    pub fn at(&self, time: f64) -> [f64; 3] {
        let speed = self.velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
        let turn = time / self.gust_period;
        let gust = |axis: u64| match speed * self.gust {
            0.0 => 0.0,
            most => {
                most * (2.0 * noise(self.seed, axis, turn) + noise(self.seed, axis + 3, 2.7 * turn))
                    / 3.0
            }
        };
        std::array::from_fn(|k| self.velocity[k] + gust(k as u64))
    }
}

/// A smooth curve between −1 and 1 through numbers that are as good as random, one for each whole `x`. Nothing but
/// sums and products, so that all machines agree.
fn noise(seed: u32, axis: u64, x: f64) -> f64 {
    let floor = x.floor();
    let number = |place: f64| {
        let mut z = (u64::from(seed) << 3 | axis).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ place as i64 as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let t = x - floor;
    let [from, to] = [number(floor), number(floor + 1.0)];
    // Perlin 2002: neither speed nor acceleration jumps where one piece ends and the next begins.
    from + (to - from) * (t * t * t * (t * (6.0 * t - 15.0) + 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_are_smooth_bounded_and_differ_by_their_seed() {
        let wind = Wind { velocity: [6.0, 0.0, 8.0], gust: 0.3, ..Wind::default() };
        let (mut largest, mut last) = (0.0f64, wind.at(0.0));
        for i in 1..20_000 {
            let now = wind.at(f64::from(i) * 1e-2);
            for k in 0..3 {
                largest = largest.max((now[k] - wind.velocity[k]).abs());
                assert!((now[k] - last[k]).abs() < 0.1, "{last:?} {now:?}");
            }
            last = now;
        }
        assert!((1.5..=3.0).contains(&largest), "{largest}");
        assert_ne!(wind.at(3.3), Wind { seed: 1, ..wind }.at(3.3));
        assert_eq!(Wind { gust: 0.0, ..wind }.at(3.3), wind.velocity);
    }
}
