//! Whether the numbers of mannequins make sense.

use super::Check;
use crate::scene::{Collider, Mannequin, Rotation, Scene, Walk};

impl Check {
    /// Checks the mannequins of a scene. Returns all of its colliders, with the parts of those that can be made.
    pub(super) fn mannequins(&mut self, scene: &Scene) -> Vec<Collider> {
        let mut colliders = scene.colliders.clone();
        for (i, mannequin) in scene.mannequins.iter().enumerate() {
            let path = format!("mannequins[{i}]");
            let before = self.problems.len();
            self.mannequin(&path, mannequin);
            if self.problems.len() == before {
                colliders.extend(mannequin.colliders());
            }
        }
        colliders
    }

    fn mannequin(&mut self, path: &str, mannequin: &Mannequin) {
        let at = |key: &str| format!("{path}.{key}");
        let &Mannequin { height, start, speed, rotate, .. } = mannequin;
        self.gait(path, [height, start, speed], rotate);
        self.finite(&at("translate"), &mannequin.translate);
        self.at_least_zero(&at("friction"), mannequin.friction, "");
        self.at_least_zero(&at("thickness"), mannequin.thickness, "m");
        if mannequin.name.is_empty() {
            let problem = format!("`{}` is empty", at("name"));
            self.fail(&at("name"), problem, "the names of its parts begin with it");
        }
    }

    /// Whether a part can walk so.
    pub(super) fn walk(&mut self, path: &str, walk: &Walk) {
        let &Walk { height, start, speed, rotate, .. } = walk;
        self.gait(path, [height, start, speed], rotate);
    }

    fn gait(&mut self, path: &str, [height, start, speed]: [f64; 3], rotate: Rotation) {
        let at = |key: &str| format!("{path}.{key}");
        self.positive(&at("height"), &[height], "m");
        self.finite(&at("start"), &[start]);
        self.positive(&at("speed"), &[speed], "m/s");
        self.rotation(&at("rotate"), rotate);
        let most = Mannequin::most_speed(height);
        if speed > most {
            let problem = format!(
                "`{}` must be at most {most:.2} m/s for a height of {height} m, not {speed}",
                at("speed")
            );
            self.fail(&at("speed"), problem, "whoever is faster runs, which mannequins cannot");
        }
    }
}
