//! Whether the numbers of colliders make sense.

use std::collections::HashMap;

use super::Check;
use crate::scene::collider::turn_between;
use crate::scene::{
    Action, Carry, CarryMotion, Collider, ColliderGround, ColliderMesh, ColliderMotion,
    ColliderShape, Integrator, Keyframe, Pin, Pose, Scale, Source, Track, suggest,
};

impl Check {
    pub(super) fn colliders(&mut self, colliders: &[Collider]) {
        if colliders.len() > Collider::MOST {
            let (count, most) = (colliders.len(), Collider::MOST);
            let problem = format!("the scene has {count} colliders, more than {most}");
            let help = "one height map stands for many boxes and spheres on the ground, and \
                        `world.box` for six planes";
            self.fail("colliders", problem, help);
        }
        let mut names = HashMap::new();
        for (i, collider) in colliders.iter().enumerate() {
            let path = format!("colliders[{i}]");
            self.collider(&path, collider);
            let (at, name) = (format!("{path}.name"), collider.name.as_str());
            if name.contains(|c: char| c.is_control() || ",;\"".contains(c)) {
                let problem = format!("{name:?} cannot be the name of columns");
                self.fail(&at, problem, "leave commas, semicolons and quotes out");
            } else if !name.is_empty()
                && let Some(first) = names.insert(name, i)
            {
                let problem = format!("colliders {first} and {i} are both called {name:?}");
                self.fail(&at, problem, "give each collider its own name");
            }
        }
    }

    /// Both have columns of forces.
    pub(super) fn track_names(&mut self, tracks: &[Track], colliders: &[Collider]) {
        for (i, track) in tracks.iter().enumerate() {
            if colliders.iter().any(|collider| collider.name == track.name) {
                let problem = format!("{:?} is the name of a collider, too", track.name);
                self.fail(&format!("output.track[{i}].name"), problem, "take another name");
            }
        }
    }

    fn collider(&mut self, path: &str, collider: &Collider) {
        let at = |key: &str| format!("{path}.{key}");
        self.rotation(&at("rotate"), collider.rotate);
        self.finite(&at("translate"), &collider.translate);
        self.at_least_zero(&at("friction"), collider.friction, "");
        self.fraction(&at("restitution"), collider.restitution);
        self.at_least_zero(&at("thickness"), collider.thickness, "m");
        match &collider.shape {
            ColliderShape::Mesh(mesh) => self.mesh_collider(path, mesh),
            _ => self.collider_shape(&at("shape"), collider),
        }
        match &collider.motion {
            Some(ColliderMotion::Series { interval, .. }) => {
                self.positive(&at("motion.interval"), &[*interval], "s");
                self.moves_a_file(path, collider, "interval", "a series of meshes");
            }
            Some(ColliderMotion::Animation { .. }) => {
                self.moves_a_file(path, collider, "animation", "a glTF file");
            }
            Some(rigid) => self.rigid_motion(&at("motion"), rigid),
            None => {}
        }
    }

    /// Whether the numbers of a motion make sense that leaves the shape of things alone.
    fn rigid_motion(&mut self, path: &str, motion: &ColliderMotion) {
        match motion {
            ColliderMotion::Steady { velocity, spin } => {
                self.finite(&format!("{path}.velocity"), velocity);
                self.finite(&format!("{path}.spin"), spin);
            }
            ColliderMotion::Keyframes { keyframes, repeat } => {
                self.keyframes(path, keyframes, *repeat);
            }
            ColliderMotion::Walk(walk) => self.walk(&format!("{path}.walk"), walk),
            ColliderMotion::Series { .. } | ColliderMotion::Animation { .. } => {}
        }
    }

    /// Whether a pin can be led so: what jumps would tear at the body.
    pub(super) fn pin(&mut self, path: &str, pin: &Pin) {
        self.region(&format!("{path}.region"), &pin.region);
        if let Some(about) = &pin.about {
            self.finite(&format!("{path}.about"), about);
        }
        let at = format!("{path}.motion");
        if pin.motion.deforms() {
            let problem = format!("`{at}` is for colliders that are meshes");
            return self.fail(&at, problem, "pins are led by `velocity`, `spin` or `keyframes`");
        }
        let before = self.problems.len();
        self.rigid_motion(&at, &pin.motion);
        if self.problems.len() > before {
            return;
        }
        if !pin.motion.pose(0.0).is_near(&Pose::REST) {
            let problem = format!("`{at}` has moved the vertices by time 0");
            let help = "let the first keyframe be `{ time = 0 }`, where the body has them";
            self.fail(&at, problem, help);
        }
        if let ColliderMotion::Keyframes { keyframes, repeat: true } = &pin.motion
            && let ([first, .., last], true) = (&keyframes[..], keyframes.len() > 1)
            && !pin.motion.pose(first.time).is_near(&pose_of(last))
        {
            let problem = format!("`{at}` jumps from its last keyframe to the first");
            self.fail(&at, problem, "let the last one be as the first, or leave `repeat` out");
        }
    }

    /// Integrators that look at contact several times in a step weigh what they find, and so do not give all back;
    /// implicit steps give nothing back.
    pub(super) fn bouncing(&mut self, colliders: &[Collider], integrator: Integrator) {
        let what = match integrator {
            Integrator::Heun | Integrator::Rk2 | Integrator::Rk4 => "gives back less than it says",
            Integrator::ImplicitEuler => "does nothing",
            _ => return,
        };
        for (i, collider) in colliders.iter().enumerate() {
            if collider.restitution > 0.0 && matches!(collider.shape, ColliderShape::Mesh(_)) {
                let odd = format!(
                    "{what} with the integrator `{integrator}`, since it belongs to a mesh; `verlet` gives back all"
                );
                self.warn(&format!("colliders[{i}].restitution"), odd);
            }
        }
    }

    /// Whether there is a collider that can be carried so.
    pub(super) fn carry(
        &mut self,
        path: &str,
        carry: &Carry,
        action: &Action,
        colliders: &[Collider],
    ) {
        let at = |key: &str| format!("{path}.carry.{key}");
        if !colliders.iter().any(|collider| collider.name == carry.collider) {
            let problem = format!("there is no collider {:?}", carry.collider);
            let names: Vec<&str> = colliders.iter().map(|c| c.name.as_str()).collect();
            let help = suggest(&carry.collider, &names, "colliders of the scene");
            self.fail(&at("collider"), problem, &help);
        }
        match &carry.motion {
            CarryMotion::Velocity(velocity) => {
                self.finite(&at("velocity"), velocity);
            }
            CarryMotion::By(by) => {
                self.finite(&at("by"), by);
                if action.end.is_none_or(|end| end <= action.start) {
                    let problem = format!("`{}` takes time, and there is no `end`", at("by"));
                    let help = "give `end`, the time at which it arrives, or `velocity` instead";
                    self.fail(&at("by"), problem, help);
                }
            }
        }
    }

    /// Whether there is a file that the motion can come from.
    fn moves_a_file(&mut self, path: &str, collider: &Collider, key: &str, what: &str) {
        let ColliderShape::Mesh(ColliderMesh { source: Source::Mesh { .. }, .. }) = collider.shape
        else {
            let problem = format!("`{path}.motion.{key}` is for meshes that are read from {what}");
            let help =
                "give the collider a `mesh`, or let it move by `velocity`, `spin` or `keyframes`";
            return self.fail(&format!("{path}.motion"), problem, help);
        };
    }

    fn mesh_collider(&mut self, path: &str, mesh: &ColliderMesh) {
        let at = |key: &str| format!("{path}.{key}");
        match &mesh.source {
            Source::Mesh { path, .. } if path.as_os_str().is_empty() => {
                self.fail(&at("mesh"), "the path of the mesh is empty", "");
            }
            Source::Mesh { .. } => {}
            Source::Shape(shape) => self.shape(&at("mesh"), shape),
            Source::Inline(mesh) => {
                if let Err(problem) = mesh.check_indices() {
                    self.fail(path, format!("its mesh is damaged: {problem}"), "");
                }
            }
        }
        match mesh.scale {
            Scale::Uniform(s) => self.positive(&at("scale"), &[s], ""),
            Scale::Axes(s) => self.positive(&at("scale"), &s, ""),
        }
    }

    fn collider_shape(&mut self, path: &str, collider: &Collider) {
        let at = |key: &str| format!("{path}.{key}");
        // Room for bodies from the middle of a hollow shape to its wall.
        let room = match &collider.shape {
            ColliderShape::Plane {} => f64::INFINITY,
            ColliderShape::Sphere { radius, .. } => {
                self.positive(&at("radius"), &[*radius], "m");
                *radius
            }
            ColliderShape::Capsule { radius, length, .. } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.positive(&at("length"), &[*length], "m");
                *radius
            }
            ColliderShape::Cylinder { radius, length, .. } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.positive(&at("length"), &[*length], "m");
                radius.min(0.5 * length)
            }
            ColliderShape::Box { size, .. } => {
                self.positive(&at("size"), size, "m");
                0.5 * size.iter().copied().fold(f64::INFINITY, f64::min)
            }
            ColliderShape::HeightMap(ground) => {
                self.ground(path, ground);
                f64::INFINITY
            }
            ColliderShape::Mesh(_) => f64::INFINITY,
        };
        if collider.shape.is_hollow() && collider.thickness >= room && room > 0.0 {
            let problem = format!("`{path}` is hollow and has no room inside its thickness");
            self.fail(path, problem, "make it larger or thinner");
        }
    }

    fn ground(&mut self, path: &str, ground: &ColliderGround) {
        let at = |key: &str| format!("{path}.{key}");
        self.positive(&at("size"), &ground.size, "m");
        if self.finite(&at("height"), &[ground.height]) && ground.height == 0.0 {
            let problem = format!("`{}` is 0, which leaves no heights", at("height"));
            self.fail(&at("height"), problem, "a `plane` is flat ground");
        }
        match (&ground.file, &ground.heights) {
            (Some(_), Some(_)) => {
                self.fail(path, "a height map has either `file` or `heights`, not both", "");
            }
            (None, None) => self.fail(path, "a height map needs either `file` or `heights`", ""),
            (Some(file), None) if file.as_os_str().is_empty() => {
                self.fail(&at("file"), "the path of the height map is empty", "");
            }
            (Some(_), None) => {}
            (None, Some(rows)) => {
                let columns = rows.first().map_or(0, Vec::len);
                let sound = rows.iter().enumerate().all(|(i, row)| {
                    row.len() == columns && self.finite(&at(&format!("heights[{i}]")), row)
                });
                if rows.len() < 2 || columns < 2 || rows.iter().any(|row| row.len() != columns) {
                    let problem =
                        format!("`{}` must be two or more rows of equal length", at("heights"));
                    self.fail(&at("heights"), problem, "each of two or more numbers");
                } else if sound && ground.size.iter().all(|size| *size > 0.0) {
                    // What the numbers cannot show, such as too many of them.
                    if let Err(problem) = ground.load() {
                        self.fail(&at("heights"), format!("the height map {problem}"), "");
                    }
                }
            }
        }
    }

    fn keyframes(&mut self, path: &str, keyframes: &[Keyframe], repeat: bool) {
        let list = format!("{path}.keyframes");
        if keyframes.is_empty() {
            self.fail(&list, format!("`{list}` is empty"), "leave `motion` out to stand still");
        }
        let mut sound = true;
        for (i, frame) in keyframes.iter().enumerate() {
            let at = |key: &str| format!("{list}[{i}].{key}");
            sound &= self.finite(&at("time"), &[frame.time]);
            sound &= self.finite(&at("translate"), &frame.translate);
            self.rotation(&at("rotate"), frame.rotate);
            let Some(before) = i.checked_sub(1).map(|i| &keyframes[i]) else { continue };
            if frame.time <= before.time {
                let problem =
                    format!("`{}` must be later than that before, {} s", at("time"), before.time);
                self.fail(&at("time"), problem, "keyframes are in the order of their times");
            }
            let turn = turn_between(before.rotate, frame.rotate);
            let degrees = turn.iter().map(|t| t * t).sum::<f64>().sqrt().to_degrees();
            if degrees > 179.0 {
                let odd = format!(
                    "is half a turn from that before, so it is left to chance which way it goes; \
                     put a keyframe between them ({degrees:.1}°)"
                );
                self.warn(&at("rotate"), odd);
            }
        }
        if let (true, true, [first, .., last]) = (sound, repeat, keyframes)
            && (first.translate, first.rotate.matrix()) != (last.translate, last.rotate.matrix())
        {
            let odd = "jumps from the last keyframe to the first, which are not the same".into();
            self.warn(&format!("{path}.repeat"), odd);
        }
    }
}

/// The pose of a keyframe.
fn pose_of(frame: &Keyframe) -> Pose {
    Pose { rotation: frame.rotate.matrix(), translation: frame.translate }
}
