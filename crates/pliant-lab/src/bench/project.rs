//! What real cards should reach: a projection from counted bytes, not a measurement.
//!
//! A step takes at least as long as its bytes take to move, and at least as long as its kernels take
//! to start. What cards really do lies below: kernels do not reach the full bandwidth. A cache that
//! holds a whole model, as the largest cards have it, may lift a small one above.

use pliant_sim::backend::gpu::count::{Bytes, StepCount};
use pliant_sim::model::compile;
use pliant_sim::scene::Accumulation;

use super::{BenchError, Case};

/// A card and its memory bandwidth, as its maker's data sheet has it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct GraphicsCard {
    /// Its name.
    pub name: &'static str,
    /// Memory bandwidth \[GB/s\].
    pub gb_per_s: f64,
}

/// Cards and chips from large to small.
pub const CARDS: [GraphicsCard; 6] = [
    GraphicsCard { name: "NVIDIA GeForce RTX 4090", gb_per_s: 1008.0 },
    GraphicsCard { name: "AMD Radeon RX 7900 XTX", gb_per_s: 960.0 },
    GraphicsCard { name: "Intel Arc A770", gb_per_s: 560.0 },
    GraphicsCard { name: "NVIDIA GeForce RTX 3060", gb_per_s: 360.0 },
    GraphicsCard { name: "Apple M2", gb_per_s: 100.0 },
    GraphicsCard { name: "Steam Deck", gb_per_s: 88.0 },
];

/// Time from one dispatch to the next that a small kernel takes at least \[s\]: an assumption.
pub const DISPATCH_SECONDS: f64 = 5e-6;

/// What one card should reach in one case.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Projection {
    /// Name of the case.
    pub case: String,
    /// Its tetrahedra.
    pub tets: usize,
    /// How forces are added up.
    pub accumulation: &'static str,
    /// Kernels per step.
    pub dispatches: u32,
    /// Bytes per step with every array moved once per dispatch.
    pub bytes_once: u64,
    /// Bytes per step of all loads and stores.
    pub bytes_by_access: u64,
    /// The card.
    pub card: GraphicsCard,
    /// Steps per second with a perfect cache.
    pub steps_per_s: f64,
    /// Steps per second without any cache.
    pub steps_per_s_uncached: f64,
    /// Tetrahedra times steps per second with a perfect cache, in millions.
    pub mtets_per_s: f64,
    /// The same without any cache.
    pub mtets_per_s_uncached: f64,
}

/// Projects a case onto all cards.
pub fn project(case: &Case, accumulation: Accumulation) -> Result<Vec<Projection>, BenchError> {
    let mut scene = case.scene();
    scene.world.accumulation = accumulation;
    let model = compile(&scene)?;
    let count = StepCount::new(&model, &scene.world);
    let tets = model.tets.len();
    Ok(CARDS.iter().map(|&card| on_card(case, tets, &count, card)).collect())
}

fn on_card(case: &Case, tets: usize, count: &StepCount, card: GraphicsCard) -> Projection {
    let rate = |bytes: Bytes| {
        let moving = bytes.total() as f64 / (1e9 * card.gb_per_s);
        let starting = f64::from(count.dispatches()) * DISPATCH_SECONDS;
        1.0 / moving.max(starting)
    };
    let (cached, uncached) = (rate(count.once()), rate(count.accesses()));
    let mtets = |steps: f64| 1e-6 * steps * tets as f64;
    Projection {
        case: case.name.clone(),
        tets,
        accumulation: count.accumulation.name(),
        dispatches: count.dispatches(),
        bytes_once: count.once().total(),
        bytes_by_access: count.accesses().total(),
        card,
        steps_per_s: cached,
        steps_per_s_uncached: uncached,
        mtets_per_s: mtets(cached),
        mtets_per_s_uncached: mtets(uncached),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_bound_decides() {
        let case = &super::super::standard()[0];
        let rows = project(case, Accumulation::Gather).unwrap();
        assert_eq!(rows.len(), CARDS.len());
        // 5,184 tetrahedra at about 100 bytes are moved within a microsecond: two dispatches decide.
        let fastest = &rows[0];
        assert_eq!(fastest.dispatches, 2);
        assert!((fastest.steps_per_s - 1e5).abs() < 1e-6, "{fastest:?}");
        // Without a cache the slowest moves about 2.8 MB at 88 GB/s, which takes longer than that.
        let slowest = &rows[5];
        let exact = 88e9 / slowest.bytes_by_access as f64;
        assert!((slowest.steps_per_s_uncached / exact - 1.0).abs() < 1e-12, "{slowest:?}");
        assert!(slowest.steps_per_s_uncached < 1e5);
    }
}
