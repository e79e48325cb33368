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
//! scene.world.friction = 5.0;
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

pub use pliant_mesh as mesh;
pub use pliant_scenes as scenes;
pub use pliant_session as session;
pub use pliant_sim::stages::touch;
pub use pliant_sim::{
    Backend, BuildError, Diverged, Energy, Model, Scene, Simulator, State, StepReport, checkpoint,
    scene, stability,
};
