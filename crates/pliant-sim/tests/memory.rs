//! Scenes that do not fit into memory are refused before they take any, and no others.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pliant_sim::model::compile_within;
use pliant_sim::scene::{Body, Copies, Integrator, Scene, Shape, Source};
use pliant_sim::{Backend, BuildError, Simulator};

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Counts what the process holds. There is one test in this file, so that nothing else is counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every request goes to the system's allocator unchanged; counting touches only atomics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The most bytes that `work` holds at a time.
fn peak<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    ((PEAK.load(Relaxed) - before) as u64, result)
}

fn scene(source: Source, integrator: Integrator) -> Scene {
    let body = Body { name: "body".into(), source, ..Body::default() };
    let mut scene = Scene { bodies: vec![body], ..Scene::default() };
    (scene.world.integrator, scene.world.timestep) = (integrator, 1e-5);
    scene
}

fn is_refused(scene: &Scene, available: u64) -> bool {
    match compile_within(scene, Some(available)) {
        Ok(_) => false,
        Err(BuildError::Memory(_)) => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_does_not_fit_is_refused_and_what_does_is_not() {
    let bar = || Source::Shape(Shape::bar([24; 3], [1.0; 3]));
    let ball = Source::Shape(Shape::Ball { radius: 0.5, cell: 0.05 });
    let cloth = || Source::Shape(Shape::Cloth { cells: [150; 2], size: [1.0; 2] });
    let mesh = Shape::bar([20; 3], [1.0; 3]).build().unwrap();
    let mut many = scene(Source::Shape(Shape::bar([5; 3], [1.0; 3])), Integrator::Verlet);
    many.bodies[0].copies = Some(Copies { count: [5; 3], spacing: [1.5; 3] });
    let mut yielding = scene(bar(), Integrator::Verlet);
    yielding.world.plasticity = 0.5;
    let cases = [
        ("bar", scene(bar(), Integrator::Verlet)),
        ("rk4", scene(bar(), Integrator::Rk4)),
        ("implicit", scene(bar(), Integrator::ImplicitEuler)),
        ("yielding", yielding),
        ("ball", scene(ball, Integrator::Verlet)),
        ("cloth", scene(cloth(), Integrator::Verlet)),
        ("implicit cloth", scene(cloth(), Integrator::ImplicitEuler)),
        ("mesh", scene(Source::Inline(mesh), Integrator::Verlet)),
        ("copies", many),
    ];
    for (name, scene) in cases {
        let (needed, ()) = peak(|| {
            let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads: 2 }).unwrap();
            sim.advance(1).unwrap();
        });
        println!("{name}: {needed} bytes");
        assert!(is_refused(&scene, needed), "{name}: would run out of memory");
        assert!(!is_refused(&scene, 2 * needed), "{name}: is refused for nothing");
    }

    let huge = scene(Source::Shape(Shape::bar([190; 3], [1.0; 3])), Integrator::Verlet);
    let (taken, refused) = peak(|| compile_within(&huge, Some(4 << 30)).unwrap_err());
    assert!(taken < 100_000, "{taken} bytes were taken to say that there are too few");
    let text = refused.to_string();
    assert!(text.contains("41.2 million elements needs about 8.4 GB"), "{text}");
    assert!(
        text.contains("only 4.3 GB") && text.contains("21.1 million elements would fit"),
        "{text}"
    );
}
