//! What rays find, tile by tile.

use std::ops::Range;

use super::super::tile::{SAMPLE_AT, SAMPLES, TILE};
use super::Clouds;
use super::cast::Caster;
use super::entries::{Entries, Grid};
use crate::volume::Quality;
use crate::volume::table::CLEAR;
use crate::volume::walk::Place;

/// Samples of a pixel whose nearness differs by less than this part end the same ray.
pub(crate) const ALIKE: f32 = 0.99;

/// What rays have found in a tile, for each sample of each pixel.
pub(in crate::cpu) struct Film {
    /// How much is seen of what is behind, and red, green and blue before it.
    pub light: Vec<[[f32; 4]; SAMPLES]>,
    /// Whether rays found anything in a pixel.
    pub is_lit: Vec<bool>,
    /// How many rays ended inside a body.
    pub lost: usize,
    entries: Entries,
    jobs: Vec<Job>,
    stops: Vec<Stop>,
}

/// A ray to cast.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub place: Place,
    pub entries: Range<u32>,
    pub stops: Range<u32>,
}

/// Where a ray meets something opaque.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub depth: f32,
    /// The pixel of the tile, and which of its samples show it.
    pub pixel: u16,
    pub samples: u16,
}

impl Film {
    pub fn new() -> Self {
        Self {
            light: vec![[CLEAR; SAMPLES]; TILE * TILE],
            is_lit: vec![false; TILE * TILE],
            lost: 0,
            entries: Entries::default(),
            jobs: Vec::new(),
            stops: Vec::new(),
        }
    }

    /// Casts the rays of a tile whose upper left pixel is `corner`. `nearness` is 1/w of what is
    /// opaque there.
    pub fn expose(&mut self, clouds: &Clouds, corner: [usize; 2], nearness: &[[f32; SAMPLES]]) {
        self.is_lit.fill(false);
        let mut cast = |step, at, sample| {
            self.cast(clouds, nearness, &Grid { corner, step, at }, sample);
        };
        match clouds.look.quality {
            Quality::Draft => cast(2, [1.0; 2], None),
            Quality::Normal => cast(1, [0.5; 2], None),
            Quality::Fine => (0..).zip(SAMPLE_AT).for_each(|(s, at)| cast(1, at, Some(s))),
        }
    }

    /// Casts the rays of a grid, for one sample of each pixel or for all.
    fn cast(
        &mut self,
        clouds: &Clouds,
        nearness: &[[f32; SAMPLES]],
        grid: &Grid,
        sample: Option<usize>,
    ) {
        let Self { light, is_lit, lost, entries, jobs, stops } = self;
        jobs.clear();
        stops.clear();
        entries.find(clouds, grid);
        entries.for_each_ray(clouds, grid, |number, place, entries| {
            let first = stops.len();
            let (column, row) = (number % grid.side(), number / grid.side());
            for j in 0..grid.step {
                for i in 0..grid.step {
                    let pixel = (row * grid.step + j) * TILE + column * grid.step + i;
                    if !is_lit[pixel] {
                        (is_lit[pixel], light[pixel]) = (true, [CLEAR; SAMPLES]);
                    }
                    add_stops(stops, pixel, &nearness[pixel], sample);
                }
            }
            stops[first..].sort_by(|a, b| a.depth.total_cmp(&b.depth));
            jobs.push(Job { place, entries, stops: first as u32..stops.len() as u32 });
        });
        let mut caster = Caster { clouds, jobs, entries: &entries.sorted, stops, light, lost: 0 };
        if clouds.isos.is_empty() && clouds.tet_values.is_empty() {
            caster.run::<false>();
        } else {
            caster.run::<true>();
        }
        *lost += caster.lost;
    }
}

/// Adds where a ray ends, for all samples of a pixel or for one of them.
fn add_stops(
    stops: &mut Vec<Stop>,
    pixel: usize,
    nearness: &[f32; SAMPLES],
    sample: Option<usize>,
) {
    let mut add = |nearness: f32, samples| {
        stops.push(Stop { depth: 1.0 / nearness, pixel: pixel as u16, samples });
    };
    if let Some(sample) = sample {
        return add(nearness[sample], 1 << sample);
    }
    let most = nearness.iter().fold(0.0, |most: f32, n| most.max(*n));
    let least = nearness.iter().fold(most, |least: f32, n| least.min(*n));
    if least >= ALIKE * most {
        add(nearness.iter().sum::<f32>() / SAMPLES as f32, (1 << SAMPLES) - 1);
    } else {
        nearness.iter().enumerate().for_each(|(s, n)| add(*n, 1 << s));
    }
}
