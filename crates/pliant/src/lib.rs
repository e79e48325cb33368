//! Real-time soft bodies on any GPU and on plain CPUs.
//!
//! This is the crate to depend on; it gathers the others under one name. A [`Scene`] describes bodies
//! and the world they are in, a [`Simulator`] runs it, [`session`] adds scripts, results and
//! checkpoints, and [`mesh`] reads, checks and writes the meshes that bodies are made of.
//!
//! # A first simulation
//!
//! A rubber bar is held at its left end and sags under its weight. No window is needed to see it:
//!
//! ```
//! use pliant::scene::{Body, Damping, Mass, Region, Scene, Shape, Source, Stiffness};
//! use pliant::{Backend, Simulator};
//!
//! let mut bar = Body { name: "bar".into(), ..Body::default() };
//! bar.source = Source::Shape(Shape::bar([16, 4, 4], [0.4, 0.1, 0.1]));
//! bar.material.mass = Mass::Density(1000.0);
//! bar.material.stiffness = Stiffness::Young(300e3);
//! bar.material.damping = Damping::Time(0.0002);
//! bar.locks = vec![Region::HalfSpace { point: [0.0; 3], normal: [-1.0, 0.0, 0.0] }];
//!
//! let mut scene = Scene { bodies: vec![bar], ..Scene::default() };
//! scene.world.timestep = 2.5e-4;
//! scene.world.damping = 5.0;
//! scene.world.bounds = None;
//!
//! let mut simulator = Simulator::new(scene, Backend::auto())?;
//! let report = simulator.step(6000)?;
//! println!("t = {:.1} s, elastic energy {:.3} J", report.time, report.energy.elastic());
//!
//! let mut picture = [[' '; 64]; 11];
//! for [x, _, z] in simulator.positions() {
//!     let (column, row) = ((x * 150.0) as usize, ((0.11 - z) * 40.0) as usize);
//!     picture[row.min(10)][column.min(63)] = '#';
//! }
//! for row in picture {
//!     println!("{}", row.iter().collect::<String>().trim_end());
//! }
//! # let tip = simulator.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
//! # assert!(tip < -0.05, "it sags");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! t = 1.5 s, elastic energy 0.969 J
//! #  ##   #   #   #
//! #  ##  #   ##  ##   #  ##  #
//! #  #   #   #  ##   #   #  ##   #   #  #
//! #  #   #  ##  #   #   #  ##  ##  ##  ##   #  ##  #
//! #  #  #  ##  ##  #   #  ##  ##  ##  ##  ##  ##  ##  ##  #   #
//!              #  #  ##  ##  ##  ##  ##  ##  #   ##  ##  ## ###
//!                        #  ##  #  ### ##   #  ##  ##  ##  ##
//!                                  #   #  ##  ##  ##  ##  ##
//!                                             #  ##  #   ##
//!                                                       #
//! ```
//!
//! # Looking inside
//!
//! [`Simulator::step`] gives a [`StepReport`] with energies and momenta, all in SI units.
//! [`Simulator::forces`] and [`Simulator::stress`] say what every vertex and every tetrahedron bears.
//! Here a block of jelly stands on the floor of the world box, and its weight is found twice: as what
//! the floor carries, and as the stress at its foot.
//!
//! ```
//! use pliant::mesh::shapes;
//! use pliant::scene::{Body, Mass, Scene, Source, Stiffness, Volume};
//! use pliant::{Backend, Simulator};
//!
//! let mesh = shapes::bar([5, 5, 8], [0.1, 0.1, 0.2], shapes::Split::Six);
//! let mut block = Body { source: Source::Inline(mesh.clone()), ..Body::default() };
//! block.material.mass = Mass::Density(1000.0);
//! block.material.stiffness = Stiffness::Young(20e3);
//! block.material.volume = Volume::Energy(20e3);
//!
//! let mut scene = Scene { bodies: vec![block], ..Scene::default() };
//! scene.world.timestep = 5e-4;
//! scene.world.damping = 10.0;
//!
//! let mut simulator = Simulator::new(scene, Backend::auto())?;
//! let report = simulator.step(4000)?;
//!
//! // At rest nothing is left of the forces, except where the floor has to hold against them.
//! let positions = simulator.positions();
//! let floor = simulator.forces().into_iter().zip(&positions).filter(|(_, p)| p[2] < 1e-6);
//! let weight = -floor.map(|(force, _)| f64::from(force[2])).sum::<f64>();
//! println!("{} vertices on the floor carry {weight:.2} N", report.wall_contact_count);
//!
//! // Vertices and tetrahedra are numbered as in the mesh.
//! let mut layers = [(0.0, 0); 4];
//! for (corners, stress) in mesh.tets.iter().zip(simulator.stress()) {
//!     let height = corners.map(|v| positions[v as usize][2]).iter().sum::<f64>() / 4.0;
//!     let (sum, count) = &mut layers[((height / 0.05) as usize).min(3)];
//!     *sum -= stress.0[2];
//!     *count += 1;
//! }
//! for (k, (sum, count)) in layers.into_iter().enumerate().rev() {
//!     let pressure = sum / f64::from(count);
//!     println!("{:>2} cm {pressure:5.0} Pa {}", 5 * k, "#".repeat((pressure / 60.0) as usize));
//! }
//! # assert!((weight / (0.002 * 1000.0 * 9.81) - 1.0).abs() < 0.01, "{weight} N");
//! # let foot = layers[0].0 / f64::from(layers[0].1);
//! # assert!((foot / (0.175 * 9810.0) - 1.0).abs() < 0.1, "{foot} Pa");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! 36 vertices on the floor carry 19.62 N
//! 15 cm   226 Pa ###
//! 10 cm   651 Pa ##########
//!  5 cm  1165 Pa ###################
//!  0 cm  1638 Pa ###########################
//! ```
//!
//! # Stiff bodies and large steps
//!
//! Explicit steps must be shorter than the swing of the stiffest spring. Implicit Euler takes steps of any
//! length; a linear system per step is the price, and the report says what solving it took.
//!
//! ```
//! use pliant::mesh::shapes;
//! use pliant::scene::{Body, Integrator, Mass, Scene, Source, Stiffness};
//! use pliant::{Backend, Simulator, stability};
//!
//! let mesh = shapes::bar([8, 2, 2], [0.4, 0.1, 0.1], shapes::Split::Five);
//! let mut bar = Body { source: Source::Inline(mesh), translate: [0.0, 0.0, 0.3], ..Body::default() };
//! bar.material.mass = Mass::Density(1000.0);
//! bar.material.stiffness = Stiffness::Young(50e6);
//!
//! let mut scene = Scene { bodies: vec![bar], ..Scene::default() };
//! let limit = stability::stable_timestep(&Simulator::new(scene.clone(), Backend::auto())?);
//! println!("explicit steps up to {:.3} ms", 1e3 * limit.unwrap_or(0.0));
//! # assert!(limit.unwrap() < 1e-3);
//!
//! scene.world.timestep = 0.01;
//! scene.world.integrator = Integrator::ImplicitEuler;
//! let report = Simulator::new(scene, Backend::auto())?.step(100)?;
//! let solver = report.solver.expect("implicit steps solve systems");
//! println!("{} iterations to {:.0e} in the last step", solver.last_iterations, solver.residual);
//! # assert!(solver.unconverged == 0 && report.energy.kinetic < 0.1, "{report:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Meshes
//!
//! [`mesh::load`] reads any supported format, found by content, and keeps arrays and groups;
//! [`mesh::doctor`] says what is wrong. A body takes such a mesh, or the path of one. Animations of glTF
//! files and series of meshes give points at any time ([`mesh::motion`]), and pictures become ground
//! ([`mesh::height_map`]).
//!
//! ```
//! use pliant::mesh::{doctor, formats, load, shapes};
//! use pliant::scene::{Body, Scene, Source};
//! use pliant::{Backend, Simulator};
//!
//! let folder = std::env::temp_dir().join("pliant-tour-mesh");
//! std::fs::create_dir_all(&folder)?;
//! let path = folder.join("bar.vtu");
//! formats::save(&shapes::bar([8, 2, 2], [4.0, 1.0, 1.0], shapes::Split::Five), &path)?;
//!
//! let loaded = load(&path)?;
//! let health = doctor::examine(&loaded.mesh);
//! println!("{}: {} tetrahedra, {:.2} m³", loaded.format, health.tets, health.volume);
//! assert!(health.findings.is_empty());
//!
//! let body = Body { source: Source::Mesh { path, group: None }, ..Body::default() };
//! let scene = Scene { bodies: vec![body], ..Scene::default() };
//! let mut simulator = Simulator::new(scene, Backend::auto())?;
//! simulator.step(10)?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stopping and going on
//!
//! A [`checkpoint`] holds scene and state. Going on from it gives the same bits as never having
//! stopped, on any number of threads:
//!
//! ```
//! use pliant::{Backend, Simulator, checkpoint, scenes};
//!
//! let scene = (scenes::find("jelly").unwrap().build)();
//! let mut simulator = Simulator::new(scene, Backend::cpu())?;
//! simulator.advance(30)?;
//! let bytes = checkpoint::encode(&simulator);
//! simulator.advance(30)?;
//!
//! let mut resumed = Simulator::resume(&checkpoint::decode(&bytes)?, Backend::Cpu { threads: 1 })?;
//! resumed.advance(30)?;
//! assert_eq!(resumed.hash(), simulator.hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When it comes apart
//!
//! A timestep that is too long makes any explicit scheme diverge. That is an error, never a screen
//! full of NaN, and the last good state is still there:
//!
//! ```
//! use pliant::{Backend, Simulator, scenes};
//!
//! let mut scene = (scenes::find("hanging-bar").unwrap().build)();
//! scene.world.timestep = 0.02;
//! scene.world.auto_substeps = false; // built-in scenes would shorten their steps by themselves
//! let mut simulator = Simulator::new(scene, Backend::auto())?;
//! let diverged = simulator.step(1000).unwrap_err();
//! println!("{diverged}");
//! assert!(diverged.suggested_timestep.unwrap() < 0.02);
//! assert!(simulator.positions().iter().flatten().all(|x| x.is_finite()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! the simulation diverged in step 3 (t = 0.040000 s): elastic (volume force) threw vertex 25 of body
//! "bar" out of bounds. A timestep of 8.258e-4 s would be stable (it is 2.000e-2 s). The state after
//! step 2 is kept
//! ```
//!
//! # Results
//!
//! A [`session::Session`] runs the scripted actions of a scene too, and [`session::run`] writes what
//! ParaView, Blender and spreadsheets open:
//!
//! ```
//! use pliant::session::{RunOptions, Session, run};
//! use pliant::{Backend, scenes};
//!
//! let scene = (scenes::find("hanging-bar").unwrap().build)();
//! let mut options = RunOptions { name: scene.name.clone(), ..RunOptions::default() };
//! options.plan.steps = Some(100);
//! options.output.glb = true;
//! options.folder = std::env::temp_dir().join("pliant-tour");
//!
//! let mut session = Session::new(scene, Backend::auto())?;
//! let outcome = run(&mut session, &options, &mut |_| {})?;
//! println!("{} holds the animation", outcome.outputs[0].display());
//! # assert!(outcome.outputs[0].exists());
//! # std::fs::remove_dir_all(&options.folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "gpu")]
pub use pliant_gpu as gpu;
pub use pliant_mesh as mesh;
pub use pliant_render as render;
pub use pliant_scenes as scenes;
pub use pliant_session as session;
#[cfg(feature = "gpu")]
pub use pliant_sim::backend::gpu::shown;
pub use pliant_sim::stages::touch;
pub use pliant_sim::step::Stage;
pub use pliant_sim::{
    Backend, BuildError, ContactReport, Diverged, Energy, Model, PairForce, Scene, Simulator,
    SolverReport, State, StepReport, Touching, checkpoint, contact, memory, scene, stability,
};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
