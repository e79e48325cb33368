//! The named scenes of Pliant's demos, tests and benchmarks.
//!
//! ```
//! let jelly = pliant_scenes::find("jelly").unwrap();
//! println!("{}: {}", jelly.title, jelly.description);
//! assert_eq!((jelly.build)().bodies.len(), 4);
//! ```

mod build;
mod from_mesh;

pub use from_mesh::{ChosenSteps, MeshProblem, choose_steps, choose_steps_for_mesh, from_mesh};
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
    /// How it is photographed for the start page of the web page, if it is shown there.
    pub shot: Option<Shot>,
}

/// A picture of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// When it is taken \[s\].
    pub time: f64,
    /// How much of the view's width and height is left out, as a part of the whole.
    pub cut: f64,
    /// Where the middle of what is kept is, as parts of the whole.
    pub middle: [f64; 2],
    /// What it shows, for those who do not see it.
    pub shows: &'static str,
}

/// Every scene; the first is the one that is shown when none is asked for.
pub const ALL: &[Named] = &[
    Named {
        name: "jelly",
        title: "Jelly blocks",
        description: "Four jelly blocks of rising stiffness fall on a table that is shaken",
        build: build::jelly,
        shot: Some(Shot {
            time: 0.9,
            cut: 0.15,
            middle: [0.52, 0.52],
            shows: "A red, a blue, a green and an ochre cube on a light floor, each a little out of shape",
        }),
    },
    Named {
        name: "bunny",
        title: "Bunny",
        description: "A rubber bunny lands in a box and is pulled by its ears",
        build: build::bunny,
        shot: Some(Shot {
            time: 2.1,
            cut: 0.4,
            middle: [0.46, 0.52],
            shows: "A red rubber bunny sitting on a light floor",
        }),
    },
    Named {
        name: "hanging-bar",
        title: "Hanging bar",
        description: "A rubber bar fixed at both ends is pulled down and up, let go and swings",
        build: build::hanging_bar,
        shot: Some(Shot {
            time: 1.6,
            cut: 0.2,
            middle: [0.52, 0.58],
            shows: "A thin red bar that hangs between two rows of fixed points and sags",
        }),
    },
    Named {
        name: "dent",
        title: "Dents",
        description: "A finger presses three dents into a block of putty, and they stay",
        build: build::dent,
        shot: Some(Shot {
            time: 2.6,
            cut: 0.2,
            middle: [0.5, 0.55],
            shows: "A flat red block with three dents in its upper side",
        }),
    },
    Named {
        name: "crowd",
        title: "Crowd",
        description: "A hundred small bodies, no two alike, drop on each other and jump at once",
        build: build::crowd,
        shot: Some(Shot {
            time: 0.8,
            cut: 0.1,
            middle: [0.5, 0.5],
            shows: "A hundred small balls, blocks, rings and stars in many colours, in a heap on a floor",
        }),
    },
    Named {
        name: "cloth",
        title: "Cloth in the wind",
        description: "A patch of cloth held at its four corners in gusts of wind",
        build: build::cloth,
        shot: Some(Shot {
            time: 2.4,
            cut: 0.0,
            middle: [0.5, 0.5],
            shows: "A red cloth held at its four corners and blown up like a sail, its shadow below",
        }),
    },
    Named {
        name: "blob",
        title: "Blob",
        description: "A bumpy, organ-like blob is dropped, thrown up and shaken",
        build: build::blob,
        shot: Some(Shot {
            time: 0.9,
            cut: 0.35,
            middle: [0.53, 0.6],
            shows: "A smooth red blob, flattened by its landing",
        }),
    },
    Named {
        name: "phantom",
        title: "Inside a head",
        description: "A head in a block of jelly, seen through, is pressed from both sides and let go",
        build: build::phantom,
        shot: Some(Shot {
            time: 1.2,
            cut: 0.2,
            middle: [0.5, 0.5],
            shows: "A head as a cloud: pale bones round a red brain, and two blue eyes",
        }),
    },
    Named {
        name: "bowl",
        title: "Pile in a bowl",
        description: "Soft balls and rings fall into a bowl and pile up",
        build: build::bowl,
        shot: None,
    },
    Named {
        name: "knot",
        title: "Knot",
        description: "A rope of 40,000 triangles, tied to a knot and carried by a coarse cage, drops and is pulled",
        build: build::knot,
        shot: None,
    },
    Named {
        name: "press",
        title: "Press",
        description: "A soft ball is squeezed between plates that tell the force",
        build: build::press,
        shot: None,
    },
    Named {
        name: "hills",
        title: "Hills",
        description: "A soft ball rolls down over a height map",
        build: build::hills,
        shot: None,
    },
    Named {
        name: "chain",
        title: "Chain of rings",
        description: "Soft rings hang in each other, are pulled aside and swing",
        build: build::chain,
        shot: None,
    },
    Named {
        name: "drape",
        title: "Drapes",
        description: "A cloth falls over a ball, and balls fall into a hammock",
        build: build::drape,
        shot: None,
    },
    Named {
        name: "tablecloth",
        title: "Tablecloth",
        description: "Woven cloth falls on a round table and hangs down in folds",
        build: build::tablecloth,
        shot: None,
    },
    Named {
        name: "toys",
        title: "Toys",
        description: "Toys that are drawn back to their shapes are poured over a height map",
        build: build::toys,
        shot: None,
    },
    Named {
        name: "caged",
        title: "Caged bunny",
        description: "A bunny and a star of fine surfaces bounce in coarse cages",
        build: build::caged,
        shot: None,
    },
    Named {
        name: "can",
        title: "Dented can",
        description: "Two fists dent a can, and the dents stay",
        build: build::can,
        shot: None,
    },
    Named {
        name: "flag",
        title: "Flag",
        description: "A flag flutters in the wind and its gusts",
        build: build::flag,
        shot: None,
    },
    Named {
        name: "curtain",
        title: "Curtain",
        description: "The hooks of a rail draw a curtain aside, which falls into pleats",
        build: build::curtain,
        shot: None,
    },
    Named {
        name: "cape",
        title: "Cape",
        description: "A mannequin walks in a cape, whose folds follow its arms and legs",
        build: build::cape,
        shot: None,
    },
    Named {
        name: "skirt",
        title: "Skirt",
        description: "Two panels are sewn into a skirt round a mannequin, which then walks in it",
        build: build::skirt,
        shot: None,
    },
    Named {
        name: "tear",
        title: "Tear",
        description: "A sheet is drawn apart by its upper corners until it tears",
        build: build::tear,
        shot: None,
    },
    Named {
        name: "gripper",
        title: "Gripper",
        description: "Two pads grip a soft block, lift it by friction and put it down",
        build: build::gripper,
        shot: None,
    },
];

/// The scene called `name`.
pub fn find(name: &str) -> Option<&'static Named> {
    ALL.iter().find(|scene| scene.name == name)
}
