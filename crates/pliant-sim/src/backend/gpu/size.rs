//! How much room a model needs on a device, before anything is made; and what would fit.

use pliant_gpu::{Gpu, GpuError};

use crate::model::{Family, Model};
use crate::scene::{Accumulation, World};
use crate::stages::bending::Form;
use crate::stages::gpu::record::Record;
use crate::stages::implicit::gpu::vector_count;

/// Bytes of four numbers.
const FOUR: u64 = 16;

/// What counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Needs {
    vertices: u64,
    springs: u64,
    tets: u64,
    hinges: u64,
    /// Arrays that the integrator remembers.
    history: u64,
    damped: bool,
    /// Vectors in a pair's block, for implicit steps; 0 without them.
    block: u64,
    /// Triangles that may touch; 0 without contact.
    triangles: u64,
    has_colliders: bool,
    /// Triangles in the air; 0 without.
    exposed: u64,
    /// Edges with limits.
    limits: u64,
    /// Clusters that are drawn back to their shapes, and their members.
    clusters: [u64; 2],
    /// Numbers in inverses of their moments.
    moments: u64,
    /// Pairs that are sewn.
    sewn: u64,
}

/// The most that one array may have.
pub(super) fn binding_limit(gpu: &Gpu) -> u64 {
    let limits = gpu.limits();
    limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)
}

impl Needs {
    pub fn new(model: &Model, world: &World) -> Self {
        let is_implicit = model.families(world).contains(Family::Implicit);
        Self {
            vertices: model.vertex_count() as u64,
            springs: model.springs.len() as u64,
            tets: model.tets.len() as u64,
            hinges: model.hinges.len() as u64,
            history: super::history_count_of(model, world) as u64,
            damped: model.damping.is_some(),
            block: match is_implicit {
                true if model.volume.iter().any(|[a, _]| *a != 0.0) => 3,
                true if model.hinge.iter().any(|h| h.form == Form::Dihedral) => 3,
                true => 1,
                false => 0,
            },
            triangles: match world.contact {
                Some(_) => model.triangles.len() as u64,
                None => 0,
            },
            has_colliders: !model.colliders.is_empty(),
            exposed: match world.wind {
                Some(_) => model.triangles.len() as u64,
                None => 0,
            },
            limits: model.limits.edges.len() as u64,
            clusters: [model.shapes.clusters.len(), model.shapes.members.len()].map(|n| n as u64),
            moments: model.shapes.matrices.len() as u64,
            sewn: model.seams.pairs.len() as u64,
        }
    }

    /// Names of the arrays and their bytes, without what padding adds.
    fn arrays(&self, strategy: Accumulation) -> Vec<(&'static str, u64)> {
        let Self { vertices, springs, tets, hinges, history, damped, block, .. } = *self;
        let Self { triangles, has_colliders, exposed, limits, clusters, moments, .. } = *self;
        let lists = |entries: u64| 4 * (entries + vertices.div_ceil(32) + 1);
        let mut arrays = vec![
            ("position", FOUR * vertices),
            ("position_compensation", FOUR * vertices),
            ("velocity", FOUR * vertices),
            ("force", FOUR * vertices),
            ("history", FOUR * history * vertices),
            ("springs", FOUR * springs),
            ("damping", if damped { 4 * springs } else { 0 }),
            ("tets", FOUR * tets),
            ("volumes", 8 * tets),
            ("records", (crate::stages::gpu::arrays::RECORDS * size_of::<Record>()) as u64),
        ];
        if hinges > 0 {
            arrays.extend([
                ("hinges", FOUR * hinges),
                ("hinge_coefficients", 2 * FOUR * hinges),
                ("hinge_lists", lists(4 * hinges)),
            ]);
        }
        if block > 0 {
            // Springs are along all edges, and a hinge has one pair more.
            let pairs = springs + hinges;
            arrays.extend([
                ("pairs", FOUR * pairs),
                ("pairs of hinges", if hinges > 0 { 8 * pairs } else { 0 }),
                ("hinges round pairs", 24 * hinges),
                ("tetrahedra round pairs", if block > 1 { 24 * tets } else { 0 }),
                ("pair lists", 2 * lists(2 * pairs)),
                ("pair blocks", FOUR * block * pairs),
                ("vectors of the system", FOUR * vector_count(has_colliders) as u64 * vertices),
            ]);
        }
        if exposed > 0 {
            arrays.extend([
                ("triangles in the air", FOUR * exposed),
                ("triangles at vertices", lists(3 * exposed)),
            ]);
        }
        if limits > 0 {
            arrays.extend([
                ("limited edges", FOUR * limits),
                ("limiting impulses", FOUR * limits),
                ("kinds of limits", 4 * limits),
                ("last changes of impulses", 4 * limits),
                ("limited edges at vertices", lists(2 * limits)),
            ]);
        }
        let [clusters, members] = clusters;
        if clusters > 0 {
            arrays.extend([
                ("clusters", 2 * FOUR * clusters),
                ("states of clusters", 4 * FOUR * clusters),
                ("moments of clusters", 4 * moments),
                ("members of clusters at rest", FOUR * members),
                ("members of clusters", 4 * members),
                ("pulls of clusters", FOUR * members),
                ("members at vertices", lists(members)),
            ]);
        }
        // Pairs have two members at most.
        arrays.extend([
            ("sewn pairs", 2 * FOUR * self.sewn),
            ("sewn vertices", 4 * FOUR * self.sewn),
            ("sewn", if self.sewn > 0 { 4 * vertices } else { 0 }),
        ]);
        if triangles > 0 {
            arrays.extend(contact_arrays(vertices, triangles));
        }
        arrays.extend(match strategy {
            Accumulation::EdgeGather => vec![
                ("parts", 12 * (springs + 4 * tets)),
                ("part_lists", lists(2 * springs + 4 * tets)),
            ],
            Accumulation::EdgeScatter => vec![("parts", 24 * vertices)],
            Accumulation::Auto | Accumulation::Gather => {
                vec![("spring_lists", lists(2 * springs)), ("tet_lists", lists(4 * tets))]
            }
        });
        arrays
    }

    fn largest(&self, strategy: Accumulation) -> (&'static str, u64) {
        self.arrays(strategy).into_iter().max_by_key(|a| a.1).unwrap_or_default()
    }

    fn fits(&self, strategy: Accumulation, limit: u64) -> bool {
        self.largest(strategy).1 <= limit
    }

    /// Refuses a model with an array beyond `limit`, whichever the strategy if it is free.
    pub fn check(&self, asked: Accumulation, limit: u64) -> Result<(), GpuError> {
        let possible = match asked {
            Accumulation::Auto => &Accumulation::STRATEGIES[..],
            _ => std::slice::from_ref(&asked),
        };
        if possible.iter().any(|&s| self.fits(s, limit)) {
            return Ok(());
        }
        let largest = possible.iter().map(|&s| self.largest(s)).min_by_key(|a| a.1);
        let (label, needed) = largest.unwrap_or_default();
        let advice = self.advice(needed, limit);
        Err(GpuError::TooLarge { label: label.into(), needed, limit, advice })
    }

    /// The chosen strategy, or else one that fits: another one only for `Auto`, since whatever else
    /// was asked for has passed [`Needs::check`].
    pub fn fitting(&self, chosen: Accumulation, limit: u64) -> Accumulation {
        let others = Accumulation::STRATEGIES.into_iter();
        std::iter::once(chosen).chain(others).find(|&s| self.fits(s, limit)).unwrap_or(chosen)
    }

    /// A refusal in words about the model.
    pub fn explained(&self, error: GpuError, left: Option<u64>) -> GpuError {
        match error {
            GpuError::TooLarge { label, needed, limit, .. } => {
                let advice = self.advice(needed, limit);
                GpuError::TooLarge { label, needed, limit, advice }
            }
            GpuError::OutOfMemory { label, needed, reason } => {
                let leanest = |s| self.arrays(s).iter().map(|a| a.1).sum::<u64>();
                let all = Accumulation::STRATEGIES.into_iter().map(leanest).min().unwrap_or(0);
                let mib = all as f64 / f64::from(1 << 20);
                let mut reason = format!(
                    "{reason}; the whole model of {} takes at least {mib:.1} MiB",
                    self.described(1.0)
                );
                if let Some(left) = left {
                    let share = (left as f64 / all.max(1) as f64).min(1.0);
                    reason += &format!(", and one of about {} would fit", self.described(share));
                }
                GpuError::OutOfMemory { label, needed, reason }
            }
            other => other,
        }
    }

    fn advice(&self, needed: u64, limit: u64) -> String {
        let mut advice = format!(
            "this model has {}, and one of about {} would fit. Use a coarser mesh",
            self.described(1.0),
            self.described(limit as f64 / needed.max(1) as f64)
        );
        if let Some(other) = Accumulation::STRATEGIES.into_iter().find(|&s| self.fits(s, limit)) {
            advice += &format!(", world.accumulation = \"{other}\" or \"auto\"");
        }
        advice + ", or the CPU"
    }

    /// A share of the model, in its largest kind of thing.
    fn described(&self, share: f64) -> String {
        let part = |n: u64| (n as f64 * share) as u64;
        match (self.tets, self.springs) {
            (0, 0) => format!("{} vertices", part(self.vertices)),
            (0, springs) => format!("{} springs", part(springs)),
            (tets, _) => format!("{} tetrahedra", part(tets)),
        }
    }
}

/// What contact needs, and room for its first candidates; a closed surface has half as many vertices as triangles,
/// and three edges for every two.
fn contact_arrays(vertices: u64, triangles: u64) -> [(&'static str, u64); 6] {
    let edges = triangles * 3 / 2;
    let room = triangles + 2 * edges;
    [
        ("surface", 4 * (7 * vertices + 10 * triangles + 6 * edges + triangles)),
        ("contact boxes", 2 * FOUR * (triangles + edges) * 16 / 15),
        ("contact velocities", (3 + 2) * FOUR * vertices),
        ("contact pairs", 2 * 8 * room),
        ("contact holds", 4 * FOUR * room),
        ("contact rows", 7 * FOUR * room + FOUR * room),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bar of `n` tetrahedra: a vertex for every five or six, and six springs for every five.
    fn bar(tets: u64) -> Needs {
        let (vertices, springs) = (tets / 5, tets * 6 / 5);
        Needs {
            vertices,
            springs,
            tets,
            hinges: 0,
            history: 0,
            damped: false,
            block: 0,
            triangles: 0,
            has_colliders: false,
            exposed: 0,
            limits: 0,
            clusters: [0; 2],
            moments: 0,
            sewn: 0,
        }
    }

    /// What WebGPU promises: 128 MiB per binding.
    const CORE: u64 = 1 << 27;

    #[test]
    fn a_million_tetrahedra_fit_any_device_and_strategy() {
        for strategy in Accumulation::STRATEGIES {
            assert!(bar(1_000_000).check(strategy, CORE).is_ok());
        }
    }

    #[test]
    fn what_is_too_large_names_the_array_and_what_would_fit() {
        let model = bar(3_000_000);
        let error = model.check(Accumulation::EdgeGather, CORE).unwrap_err();
        // 3.6 million springs and 12 million corners with three numbers of four bytes each.
        let wanted = 12 * (3_600_000 + 12_000_000);
        let GpuError::TooLarge { label, needed, limit, advice } = &error else { panic!("{error}") };
        assert_eq!((label.as_str(), *needed, *limit), ("parts", wanted, CORE));
        let fits = (3e6 * CORE as f64 / wanted as f64) as u64;
        assert!(advice.contains(&format!("about {fits} tetrahedra")), "{advice}");
        assert!(advice.contains("\"gather\"") && advice.contains("CPU"), "{advice}");
        // What it says would fit does, and not much more.
        assert!(bar(fits).check(Accumulation::EdgeGather, CORE).is_ok());
        assert!(bar(fits * 101 / 100).check(Accumulation::EdgeGather, CORE).is_err());
    }

    #[test]
    fn auto_takes_a_strategy_that_fits_and_refuses_only_when_none_does() {
        let model = bar(3_000_000);
        assert!(model.check(Accumulation::Auto, CORE).is_ok());
        assert_eq!(model.fitting(Accumulation::EdgeGather, CORE), Accumulation::Gather);
        assert_eq!(model.fitting(Accumulation::EdgeScatter, CORE), Accumulation::EdgeScatter);
        let error = bar(20_000_000).check(Accumulation::Auto, CORE).unwrap_err().to_string();
        assert!(error.contains("366.2 MiB") && error.contains("128.0 MiB"), "{error}");
        assert!(!error.contains("accumulation"), "no other strategy helps: {error}");
    }

    #[test]
    fn cloth_is_spoken_of_in_springs() {
        let cloth = Needs { tets: 0, ..bar(10_000_000) };
        let error = cloth.check(Accumulation::Auto, CORE).unwrap_err().to_string();
        assert!(error.contains("12000000 springs"), "{error}");
    }
    #[test]
    fn contact_needs_room_for_its_rows() {
        let touching = |triangles| Needs { triangles, ..bar(100_000) };
        assert!(touching(200_000).check(Accumulation::Auto, CORE).is_ok());
        let error = touching(400_000).check(Accumulation::Auto, CORE).unwrap_err();
        let GpuError::TooLarge { label, .. } = &error else { panic!("{error}") };
        assert_eq!(label, "contact rows");
    }

    #[test]
    fn implicit_steps_need_room_for_their_system() {
        let implicit = |tets| Needs { block: 3, history: 1, ..bar(tets) };
        assert!(implicit(2_000_000).check(Accumulation::Auto, CORE).is_ok());
        let error = implicit(3_000_000).check(Accumulation::Auto, CORE).unwrap_err();
        let GpuError::TooLarge { label, needed, .. } = &error else { panic!("{error}") };
        assert_eq!((label.as_str(), *needed), ("pair blocks", 48 * 3_600_000));
    }
}
