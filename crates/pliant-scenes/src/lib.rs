//! The named scenes of Pliant's demos, tests and benchmarks.
//!
//! ```
//! let jelly = pliant_scenes::find("jelly").unwrap();
//! println!("{}: {}", jelly.title, jelly.description);
//! assert_eq!((jelly.build)().bodies.len(), 4);
//! ```

mod build;
mod from_mesh;

pub use from_mesh::{MeshProblem, Settled, choose_steps, from_mesh, settle};
use pliant_sim::Scene;

/// A scene with a name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// What it is asked for by.
    pub name: &'static str,
    /// What to call it in titles.
    pub title: &'static str,
    /// What happens, in one line.
    pub description: &'static str,
    /// Makes it.
    pub build: fn() -> Scene,
}

/// Every scene; the first is the one that is shown when none is asked for.
pub const ALL: &[Named] = &[
    Named {
        name: "jelly",
        title: "Jelly blocks",
        description: "Four jelly blocks of rising stiffness fall on a table that is shaken",
        build: build::jelly,
    },
    Named {
        name: "bunny",
        title: "Bunny",
        description: "A rubber bunny lands in a box and is pulled by its ears",
        build: build::bunny,
    },
    Named {
        name: "hanging-bar",
        title: "Hanging bar",
        description: "A rubber bar fixed at both ends is pulled down and up, let go and swings",
        build: build::hanging_bar,
    },
    Named {
        name: "dent",
        title: "Dents",
        description: "A finger presses three dents into a block of putty, and they stay",
        build: build::dent,
    },
    Named {
        name: "crowd",
        title: "Crowd",
        description: "A hundred small bodies, no two alike, drop and jump at once",
        build: build::crowd,
    },
    Named {
        name: "cloth",
        title: "Cloth in the wind",
        description: "A patch of cloth held at its four corners in gusts of wind",
        build: build::cloth,
    },
    Named {
        name: "blob",
        title: "Blob",
        description: "A bumpy, organ-like blob is dropped, thrown up and shaken",
        build: build::blob,
    },
    Named {
        name: "phantom",
        title: "Inside a head",
        description: "A head in a block of jelly, seen through, is pressed from both sides and let go",
        build: build::phantom,
    },
];

/// The scene called `name`.
pub fn find(name: &str) -> Option<&'static Named> {
    ALL.iter().find(|scene| scene.name == name)
}
