//! Scenes and data that several behaviour tests share.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::PathBuf;

use pliant::mesh::{Mesh, shapes};
use pliant::scene::{Body, Integrator, Mass, Material, Source, Stiffness, Volume, World};
use pliant::{Backend, Scene, Simulator};

/// A file of the shared test data, or `None` (said on stderr) where that is not there.
pub fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("ignored: {name} is not in the data folder; set PLIANT_DATA to where it is");
    None
}

/// One thread, since tests run side by side.
pub fn cpu() -> Backend {
    Backend::Cpu { threads: 1 }
}

/// The device that the tests of a file share; `None`, and a line that says so, without one.
#[cfg(feature = "gpu")]
pub fn gpu(test: &str) -> Option<pliant::gpu::Gpu> {
    static GPU: std::sync::OnceLock<Option<pliant::gpu::Gpu>> = std::sync::OnceLock::new();
    GPU.get_or_init(|| pliant::gpu::testing::gpu(test)).clone()
}

/// What a statement is tried on.
pub struct On {
    backend: Backend,
    quick: bool,
}

impl On {
    /// The processor.
    pub fn cpu() -> Self {
        Self { backend: cpu(), quick: true }
    }

    /// A device, if there is one.
    #[cfg(feature = "gpu")]
    pub fn gpu(test: &str) -> Option<Self> {
        let gpu = gpu(test)?;
        Some(Self { quick: !gpu.adapter().is_software(), backend: Backend::Device(gpu) })
    }

    /// A simulator of a scene.
    pub fn simulator(&self, scene: &Scene) -> Simulator {
        Simulator::new(scene.clone(), self.backend.clone()).expect("the test scene compiles")
    }

    /// Whether hundreds of thousands of steps are no trouble: a software GPU takes its time.
    pub fn is_quick(&self) -> bool {
        self.quick
    }

    /// Whether it is the processor.
    pub fn is_cpu(&self) -> bool {
        matches!(self.backend, Backend::Cpu { .. })
    }
}

/// A world without gravity, damping or box.
pub fn space() -> World {
    World { gravity: [0.0; 3], damping: 0.0, bounds: None, ..World::default() }
}

/// Rubbery stuff: density \[kg/m³\], Young's modulus \[Pa\], and a volume modulus of the same size.
pub fn rubber(density: f64, young: f64) -> Material {
    Material {
        mass: Mass::Density(density),
        stiffness: Stiffness::Young(young),
        volume: Volume::Energy(young),
        ..Material::default()
    }
}

/// A body from a mesh.
pub fn body(mesh: Mesh, material: Material) -> Body {
    Body { name: "body".into(), source: Source::Inline(mesh), material, ..Body::default() }
}

/// A small bar of irregular tetrahedra, 0.4 × 0.1 × 0.1 m.
pub fn small_bar() -> Mesh {
    shapes::irregular_bar([8, 2, 2], [0.4, 0.1, 0.1], 7).expect("a small bar")
}

/// A scene of one body, with the timestep at half of the stable one.
pub fn scene(body: Body, world: World) -> Scene {
    let mut scene = Scene { name: "test".into(), world, bodies: vec![body], ..Scene::default() };
    let sim = Simulator::new(scene.clone(), cpu()).expect("the test scene compiles");
    let limit = pliant::stability::stable_timestep(&sim);
    scene.world.timestep = 0.5 * limit.unwrap_or(1e-4).min(0.01);
    scene
}

/// One of two sizes: what a test has time for, and the full one, which `PLIANT_FULL=1` asks for.
pub fn sized<T>(small: T, full: T) -> T {
    if std::env::var_os("PLIANT_FULL").is_some() { full } else { small }
}

/// A simulator on one thread.
pub fn simulator(scene: &Scene) -> Simulator {
    Simulator::new(scene.clone(), cpu()).expect("the test scene compiles")
}

/// Every integrator that keeps an undamped body together.
pub const SYMPLECTIC: [Integrator; 5] = [
    Integrator::SymplecticEuler,
    Integrator::Verlet,
    Integrator::LeapFrog,
    Integrator::VelocityVerlet,
    Integrator::Beeman,
];

/// Largest distance between two sets of points \[m\].
pub fn largest_distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let distance =
        |(p, q): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(distance).fold(0.0, f64::max)
}

/// Length of a vector.
pub fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}
