//! Whether the numbers of a scene make sense.

use std::collections::{HashMap, HashSet};

mod colliders;
mod contact;
mod mannequins;
mod seams;
mod shape_matching;

use super::{
    Action, ActionKind, Body, Cloth, Collider, Damping, DragMotion, Every, Limits, Live, LiveValue,
    Mass, Material, Output, Picture, PictureCamera, PictureColour, PictureVolume, Problem, Region,
    Rotation, Scale, Scene, SceneError, Shape, Source, Stiffness, StrainLimit, Track, TrackPart,
    Transfer, TransferPoint, Volume, Warning, World,
};

/// Most tetrahedra that all generated shapes of a scene may have together.
const MOST_ELEMENTS: f64 = 50e6;
/// Most bodies, copies included.
const MOST_BODIES: f64 = 1e6;

impl Scene {
    /// Checks every number and name. Returns what looks odd, or everything that is wrong.
    ///
    /// Files are not touched: whether a mesh exists shows when it is loaded.
    pub fn validate(&self) -> Result<Vec<Warning>, SceneError> {
        let mut check = Check::default();
        check.world(&self.world);
        check.bodies(&self.bodies);
        let colliders = check.mannequins(self);
        check.colliders(&colliders);
        check.bouncing(&colliders, self.world.integrator);
        check.seams(&self.seams);
        check.actions(self, &colliders);
        check.run_and_output(self);
        check.finish()
    }
}

impl World {
    /// Checks that the parameters of the world are possible, as [`Scene::validate`] does.
    pub fn validate(&self) -> Result<Vec<Warning>, SceneError> {
        let mut check = Check::default();
        check.world(self);
        check.finish()
    }
}

#[derive(Default)]
struct Check {
    problems: Vec<Problem>,
    warnings: Vec<Warning>,
}

/// What is checked about single values.
impl Check {
    fn fail(&mut self, path: &str, message: impl Into<String>, help: &str) {
        let problem = Problem::new(path, message);
        self.problems.push(if help.is_empty() { problem } else { problem.help(help) });
    }

    fn warn(&mut self, path: &str, message: String) {
        self.warnings.push(Warning { path: path.to_owned(), message });
    }

    fn finite(&mut self, path: &str, numbers: &[f64]) -> bool {
        let bad = numbers.iter().find(|n| !n.is_finite());
        if let Some(n) = bad {
            self.fail(path, format!("`{path}` must be finite, not {n}"), "");
        }
        bad.is_none()
    }

    fn within(&mut self, limits: Limits, path: &str, numbers: &[f64], unit: &str) {
        if let Err((problem, help)) = limits.check(path, numbers, unit) {
            self.fail(path, problem, help);
        }
    }

    fn positive(&mut self, path: &str, numbers: &[f64], unit: &str) {
        self.within(Limits::Positive, path, numbers, unit);
    }

    fn at_least_zero(&mut self, path: &str, number: f64, unit: &str) {
        self.within(Limits::NotNegative, path, &[number], unit);
    }

    fn fraction(&mut self, path: &str, number: f64) {
        self.within(Limits::Between([0.0, 1.0]), path, &[number], "");
    }

    fn direction(&mut self, path: &str, vector: [f64; 3]) {
        if self.finite(path, &vector) && vector == [0.0; 3] {
            self.fail(path, format!("`{path}` must not be zero: it gives a direction"), "");
        }
    }

    fn counts(&mut self, path: &str, counts: &[u32]) {
        if counts.contains(&0) {
            self.fail(path, format!("`{path}` must be 1 or more along each axis"), "");
        }
    }
}

impl Check {
    fn finish(self) -> Result<Vec<Warning>, SceneError> {
        if self.problems.is_empty() {
            Ok(self.warnings)
        } else {
            Err(SceneError::new(self.problems))
        }
    }

    fn world(&mut self, world: &World) {
        for live in Live::ALL {
            if let Some(value) = live.get(world) {
                self.within(live.limits, live.key, value.numbers(), live.unit);
            }
        }
        if let Some(center) = world.bounds.as_ref().and_then(|walls| walls.center) {
            self.finite("world.box.center", &center);
        }
        if let Some(thickness) = world.contact.as_ref().and_then(|contact| contact.thickness) {
            self.positive("world.contact.thickness", &[thickness], "m");
        }
        if world.timestep > 0.1 {
            self.warn(
                "world.timestep",
                format!(
                    "{} s is very long; timesteps are in seconds, 4 ms is 0.004",
                    world.timestep
                ),
            );
        }
        if world.gravity.iter().any(|g| g.abs() > 1000.0) {
            self.warn("world.gravity", "is over 100 g; it is in m/s²".into());
        }
    }

    fn bodies(&mut self, bodies: &[Body]) {
        if bodies.is_empty() {
            let help = "add [[bodies]] with `mesh` or `shape`";
            self.fail("bodies", "the scene has no bodies", help);
        }
        self.contact_of_bodies(bodies);
        let mut names = HashMap::new();
        let (mut count, mut elements) = (0.0, 0.0);
        for (i, body) in bodies.iter().enumerate() {
            let path = format!("bodies[{i}]");
            self.body(&path, body);
            if !body.name.is_empty()
                && let Some(first) = names.insert(body.name.as_str(), i)
            {
                self.fail(
                    &format!("{path}.name"),
                    format!("bodies {first} and {i} are both called {:?}", body.name),
                    "give each body its own name",
                );
            }
            let copies = body.copies.as_ref().map_or([1; 3], |c| c.count);
            let copies = copies.iter().map(|&n| f64::from(n)).product::<f64>();
            let before = elements;
            count += copies;
            elements += copies * element_count(&body.source);
            elements += body.skin.as_ref().map_or(0.0, |skin| element_count(&skin.source));
            if before <= MOST_ELEMENTS && elements > MOST_ELEMENTS {
                self.fail(
                    &if copies > 1.0 { format!("{path}.copies") } else { path.clone() },
                    format!(
                        "the scene would have about {elements:.1e} elements, more than {MOST_ELEMENTS:.0e}"
                    ),
                    "use fewer or larger cells, or fewer copies",
                );
            }
        }
        if count > MOST_BODIES {
            let problem =
                format!("{count:.0} bodies with their copies, more than {MOST_BODIES:.0}");
            self.fail("bodies", format!("the scene has {problem}"), "use fewer copies");
        }
    }

    fn body(&mut self, path: &str, body: &Body) {
        let at = |key: &str| format!("{path}.{key}");
        self.source(path, &body.source);
        if let Some(skin) = &body.skin {
            self.source(&at("skin"), &skin.source);
        }
        if let Some(cage) = &body.cage {
            let limits = Limits::Count(pliant_mesh::cage::CELLS);
            self.within(limits, &at("cage.cells"), &[f64::from(cage.cells)], "");
        }
        match body.scale {
            Scale::Uniform(s) => self.positive(&at("scale"), &[s], ""),
            Scale::Axes(s) => self.positive(&at("scale"), &s, ""),
        }
        self.rotation(&at("rotate"), body.rotate);
        self.finite(&at("translate"), &body.translate);
        self.finite(&at("velocity"), &body.velocity);
        self.finite(&at("spin"), &body.spin);
        self.material(&at("material"), &body.material, body);
        for (i, region) in body.locks.iter().enumerate() {
            self.region(&format!("{path}.locks[{i}]"), region);
        }
        for (i, pin) in body.pins.iter().enumerate() {
            self.pin(&format!("{path}.pins[{i}]"), pin);
        }
        if let Some(limit) = &body.strain_limit {
            self.strain_limit(&at("strain_limit"), limit, body.implicit);
        }
        if let Some(matching) = &body.shape_matching {
            self.shape_matching(&at("shape_matching"), matching, body);
        }
        for (i, tear) in body.tears.iter().enumerate() {
            self.region(&format!("{path}.tears[{i}].region"), &tear.region);
            self.positive(&format!("{path}.tears[{i}].strength"), &[tear.strength], "N/m");
        }
        if let Some(copies) = &body.copies {
            self.counts(&at("copies.count"), &copies.count);
            self.finite(&at("copies.spacing"), &copies.spacing);
            if (0..3).any(|k| copies.count[k] > 1 && copies.spacing[k] == 0.0) {
                self.warn(&at("copies.spacing"), "is 0, so copies lie inside each other".into());
            }
        }
    }

    /// Where a mesh comes from; `path` is that of the table.
    fn source(&mut self, path: &str, source: &Source) {
        match source {
            Source::Mesh { path: file, .. } if file.as_os_str().is_empty() => {
                self.fail(&format!("{path}.mesh"), "the path of the mesh is empty", "");
            }
            Source::Mesh { .. } => {}
            Source::Shape(shape) => self.shape(&format!("{path}.shape"), shape),
            Source::Inline(mesh) => {
                if let Err(problem) = mesh.check_indices() {
                    self.fail(path, format!("its mesh is damaged: {problem}"), "");
                }
            }
        }
    }

    fn strain_limit(&mut self, path: &str, limit: &StrainLimit, is_implicit: bool) {
        let at = |key: &str| format!("{path}.{key}");
        let stretch = at("stretch");
        if let Err((problem, _)) =
            Limits::Between(StrainLimit::STRETCH).check(&stretch, &[limit.stretch], "")
        {
            let help = "it is a part of the length at rest: 0.1 lets edges get 10 % longer";
            self.fail(&stretch, problem, help);
        }
        let iterations = f64::from(limit.iterations);
        let limits = Limits::Count(StrainLimit::ITERATIONS);
        self.within(limits, &at("iterations"), &[iterations], "");
        if is_implicit {
            let problem =
                format!("`{path}` is for explicit steps, and this body takes implicit ones");
            let help = "leave out one of `strain_limit` and `implicit`: stiff springs are enough in implicit steps";
            self.fail(path, problem, help);
        }
    }

    fn rotation(&mut self, path: &str, rotation: Rotation) {
        match rotation {
            Rotation::Euler(angles) => drop(self.finite(path, &angles)),
            Rotation::AxisAngle { axis, degrees } => {
                self.direction(&format!("{path}.axis"), axis);
                self.finite(&format!("{path}.degrees"), &[degrees]);
            }
        }
    }

    fn shape(&mut self, path: &str, shape: &Shape) {
        let at = |key: &str| format!("{path}.{key}");
        match shape {
            Shape::Bar { cells, size, .. }
            | Shape::IrregularBar { cells, size, .. }
            | Shape::Phantom { cells, size } => {
                self.counts(&at("cells"), cells);
                self.positive(&at("size"), size, "m");
            }
            Shape::Cloth { cells, size } => {
                self.counts(&at("cells"), cells);
                self.positive(&at("size"), size, "m");
            }
            &Shape::Cape { neck, length, opening, clasp, cell } => {
                let keys = [("neck", neck), ("length", length), ("clasp", clasp), ("cell", cell)];
                keys.iter().for_each(|&(key, value)| self.positive(&at(key), &[value], "m"));
                self.within(Limits::Between([0.0, 240.0]), &at("opening"), &[opening], "°");
            }
            &Shape::Skirt { waist, hem, length, depth, cell } => {
                let keys = [("waist", waist), ("hem", hem), ("length", length), ("cell", cell)];
                keys.iter().for_each(|&(key, value)| self.positive(&at(key), &[value], "m"));
                self.fraction(&at("depth"), depth);
            }
            &Shape::SkirtPanels { waist, hem, length, gap, cell } => {
                let keys = [("waist", waist), ("hem", hem), ("length", length), ("gap", gap)];
                keys.iter().for_each(|&(key, value)| self.positive(&at(key), &[value], "m"));
                self.positive(&at("cell"), &[cell], "m");
            }
            &Shape::Tshirt { chest, length, sleeve, gap, cell } => {
                let keys = [("chest", chest), ("length", length), ("sleeve", sleeve)];
                keys.iter().for_each(|&(key, value)| self.positive(&at(key), &[value], "m"));
                self.positive(&at("gap"), &[gap], "m");
                self.positive(&at("cell"), &[cell], "m");
            }
            Shape::Ball { radius, cell } | Shape::Blob { radius, cell, .. } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.cell(&at("cell"), *cell, *radius);
            }
            Shape::Cylinder { radius, length, cell } | Shape::Capsule { radius, length, cell } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.positive(&at("length"), &[*length], "m");
                self.cell(&at("cell"), *cell, *radius);
            }
            Shape::Tube { inner, outer, length, cell } => {
                self.positive(&at("inner"), &[*inner], "m");
                self.positive(&at("outer"), &[*outer], "m");
                self.positive(&at("length"), &[*length], "m");
                self.cell(&at("cell"), *cell, *outer);
                if inner >= outer {
                    let problem = format!("`{}` must be smaller than `outer`", at("inner"));
                    self.fail(&at("inner"), problem, "");
                }
            }
            Shape::Star { radius, thickness, cell } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.positive(&at("thickness"), &[*thickness], "m");
                self.cell(&at("cell"), *cell, *radius);
            }
            Shape::Bunny { height, cell } => {
                self.positive(&at("height"), &[*height], "m");
                self.cell(&at("cell"), *cell, 0.5 * height);
            }
            Shape::Knot { radius, tube, cell } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.positive(&at("tube"), &[*tube], "m");
                self.cell(&at("cell"), *cell, *tube);
                if *tube > radius / 5.0 {
                    let problem =
                        format!("`{}` must not be above a fifth of the radius", at("tube"));
                    self.fail(&at("tube"), problem, "otherwise the rope meets itself");
                }
            }
            Shape::Torus { radius, tube, cell } => {
                self.positive(&at("radius"), &[*radius], "m");
                self.positive(&at("tube"), &[*tube], "m");
                self.cell(&at("cell"), *cell, *tube);
                if tube >= radius {
                    let problem = format!("`{}` must be smaller than the radius", at("tube"));
                    self.fail(&at("tube"), problem, "otherwise the ring has no hole");
                }
            }
        }
    }

    /// The cell size of a shape that is filled with cells; `across` is its smallest radius.
    fn cell(&mut self, path: &str, cell: f64, across: f64) {
        self.positive(path, &[cell], "m");
        if cell > 2.0 * across && across > 0.0 {
            let problem = format!("`{path}` must not be larger than the shape, {} m", 2.0 * across);
            self.fail(path, problem, "try a quarter of the radius");
        }
    }

    fn material(&mut self, path: &str, material: &Material, body: &Body) {
        let source = &body.source;
        // Of files nobody knows before they are read.
        let is_surface = match source {
            _ if body.cage.is_some() => Some(false),
            Source::Shape(shape) => Some(shape.is_surface()),
            Source::Inline(mesh) => Some(mesh.tets.is_empty()),
            Source::Mesh { .. } => None,
        };
        let at = |key: &str| format!("{path}.{key}");
        match material.mass {
            Mass::Vertex(m) => self.positive(&at("mass.vertex"), &[m], "kg"),
            Mass::Total(m) => self.positive(&at("mass.total"), &[m], "kg"),
            Mass::Density(d) => {
                let surface = is_surface == Some(true);
                let unit = if surface { "kg/m²" } else { "kg/m³" };
                self.positive(&at("mass.density"), &[d], unit);
                if d < 10.0 && !surface && d > 0.0 {
                    let hint = format!("{d} is very light; densities are in kg/m³, water has 1000");
                    // 0.2 kg/m² is normal.
                    if is_surface.is_some() {
                        self.warn(&at("mass.density"), hint);
                    }
                }
            }
        }
        match material.stiffness {
            Stiffness::Spring(k) => self.at_least_zero(&at("stiffness.spring"), k, "N/m"),
            Stiffness::Young(e) => self.at_least_zero(&at("stiffness.young"), e, "Pa"),
            Stiffness::Cloth(cloth) => self.cloth(&at("stiffness.cloth"), &cloth, body),
        }
        match material.volume {
            Volume::Energy(k) => self.at_least_zero(&at("volume.modulus"), k, "Pa"),
            Volume::Thesis(k) => self.at_least_zero(&at("volume.thesis"), k, "N/m³"),
            Volume::Poisson(ratio) => self.poisson(&at("volume.poisson"), ratio, material, body),
            Volume::Auto | Volume::None => {}
        }
        match material.damping {
            Damping::Time(t) => self.at_least_zero(&at("damping.time"), t, "s"),
            Damping::Coefficient(c) => self.at_least_zero(&at("damping.coefficient"), c, "N·s/m"),
        }
    }

    fn cloth(&mut self, path: &str, cloth: &Cloth, body: &Body) {
        let at = |key: &str| format!("{path}.{key}");
        self.positive(&at("stretch"), &cloth.stretch, "N/m");
        self.at_least_zero(&at("shear"), cloth.shear, "N/m");
        self.at_least_zero(&at("bend"), cloth.bend, "N/m");
        self.at_least_zero(&at("bending"), cloth.bending, "N·m");
        self.direction(&at("warp"), cloth.warp);
        let is_solid = matches!(&body.source, Source::Shape(shape) if !shape.is_surface());
        if is_solid || body.cage.is_some() {
            let problem = format!("`{path}` is for surfaces, and this body is solid");
            self.fail(path, problem, "write `stiffness = { young = Pa }`");
        }
    }

    fn poisson(&mut self, path: &str, ratio: f64, material: &Material, body: &Body) {
        let [least, most] = Volume::POISSON;
        if self.finite(path, &[ratio]) && !(least..=most).contains(&ratio) {
            let problem = format!("`{path}` must be {least} to {most}, not {ratio}");
            let help = if ratio < least {
                "springs alone have 0.25, and a volume force can only raise it"
            } else {
                "at 0.5 no volume could change; 0.4 suits soft stuff"
            };
            self.fail(path, problem, help);
        }
        if !matches!(material.stiffness, Stiffness::Young(_)) {
            let problem = format!("`{path}` needs Young's modulus");
            self.fail(path, problem, "write `stiffness = { young = Pa }`");
        }
        let is_surface = matches!(&body.source, Source::Shape(shape) if shape.is_surface());
        if is_surface && body.cage.is_none() {
            let problem = format!("`{path}` is for bodies with a volume, and cloth has none");
            self.fail(path, problem, "leave out `volume`");
        }
    }

    fn region(&mut self, path: &str, region: &Region) {
        match region {
            Region::Box { min, max } => {
                let sound = self.finite(&format!("{path}.box.min"), min)
                    & self.finite(&format!("{path}.box.max"), max);
                if sound && (0..3).any(|k| min[k] > max[k]) {
                    let path = format!("{path}.box.max");
                    self.fail(&path, format!("`{path}` must not lie below `min`"), "");
                }
            }
            Region::Sphere { center, radius } => {
                self.finite(&format!("{path}.sphere.center"), center);
                self.positive(&format!("{path}.sphere.radius"), &[*radius], "m");
            }
            Region::HalfSpace { point, normal } => {
                self.finite(&format!("{path}.half_space.point"), point);
                self.direction(&format!("{path}.half_space.normal"), *normal);
            }
            Region::All | Region::Group(_) | Region::Flag(_) | Region::Points(_) => {}
        }
    }

    /// Whether actions make sense, `colliders` being those of the scene and of its mannequins.
    fn actions(&mut self, scene: &Scene, colliders: &[Collider]) {
        let mut last = f64::NEG_INFINITY;
        for (i, action) in scene.actions.iter().enumerate() {
            let path = format!("actions[{i}]");
            let start = format!("{path}.start");
            self.at_least_zero(&start, action.start, "s");
            if action.start < last {
                let problem =
                    format!("`{start}` is {} s, before that of the action above", action.start);
                self.fail(&start, problem, "order actions by their start");
            }
            last = last.max(action.start);
            if let Some(end) = action.end {
                let path = format!("{path}.end");
                if self.finite(&path, &[end]) && end < action.start {
                    let problem =
                        format!("`{path}` is {end} s, before the start at {} s", action.start);
                    self.fail(&path, problem, "");
                }
            }
            self.action(&path, action, scene, colliders);
        }
    }

    fn action(&mut self, path: &str, action: &Action, scene: &Scene, colliders: &[Collider]) {
        match &action.kind {
            ActionKind::Drag(drag) => {
                self.finite(&format!("{path}.drag.center"), &drag.center);
                self.positive(&format!("{path}.drag.radius"), &[drag.radius], "m");
                match &drag.motion {
                    DragMotion::Velocity(v) => self.finite(&format!("{path}.drag.velocity"), v),
                    DragMotion::Target(t) => self.finite(&format!("{path}.drag.target"), t),
                };
                self.at_least_zero(&format!("{path}.drag.stiffness"), drag.stiffness, "N/m");
                if matches!(drag.motion, DragMotion::Target(_)) && action.end.is_none() {
                    let odd = "has no `end`, so its hand is there at once; give `end`, the time at \
                               which it arrives, or `velocity` instead";
                    self.warn(&format!("{path}.drag.target"), odd.into());
                }
            }
            ActionKind::Push(push) => {
                self.finite(&format!("{path}.push.origin"), &push.origin);
                self.direction(&format!("{path}.push.direction"), push.direction);
                self.positive(&format!("{path}.push.radius"), &[push.radius], "m");
                self.finite(&format!("{path}.push.force"), &[push.force]);
            }
            ActionKind::Carry(carry) => self.carry(path, carry, action, colliders),
            ActionKind::Set(set) => self.set(path, &set.key, set.value, &scene.world),
            ActionKind::Open(of) => self.of_seam(&format!("{path}.open"), of, &scene.seams),
            ActionKind::Close(of) => self.of_seam(&format!("{path}.close"), of, &scene.seams),
        }
    }

    /// Asks whether a live parameter may be set to this.
    fn set(&mut self, path: &str, key: &str, value: LiveValue, world: &World) {
        match world.clone().set_live(key, value) {
            Ok(live) => {
                if let Err((problem, _)) = live.limits.check(live.key, value.numbers(), live.unit) {
                    self.fail(&format!("{path}.set.value"), problem, "");
                }
            }
            Err(error) => {
                let placed = |p: Problem| Problem { path: format!("{path}.set.{}", p.path), ..p };
                self.problems.extend(error.problems.into_iter().map(placed));
            }
        }
    }

    fn run_and_output(&mut self, scene: &Scene) {
        let (run, output) = (&scene.run, &scene.output);
        if let Some(duration) = run.duration {
            self.positive("run.duration", &[duration], "s");
            if run.steps.is_some() {
                let help = "keep one of them";
                self.fail("run.steps", "`run` has both `duration` and `steps`", help);
            }
        }
        match output.every {
            Every::Seconds(s) => self.positive("output.every", &[s], "s"),
            Every::Steps(0) => {
                self.fail("output.every.steps", "`output.every.steps` must be 1 or more", "");
            }
            Every::Steps(_) => {}
        }
        if output.checkpoint_every == Some(0) {
            let help = "leave it out for no checkpoints";
            let problem = "`output.checkpoint_every` must be 1 or more";
            self.fail("output.checkpoint_every", problem, help);
        }
        self.tracks(&output.track);
        self.track_names(&output.track, &scene.colliders);
        self.picture(output);
    }

    /// Whether a body has such a part is seen when its mesh is read.
    fn tracks(&mut self, tracks: &[Track]) {
        let mut names = HashSet::new();
        for (i, track) in tracks.iter().enumerate() {
            let (path, name) = (format!("output.track[{i}]"), &track.name);
            let at = format!("{path}.name");
            if name.trim().is_empty() {
                self.fail(&at, format!("`{at}` is empty"), "columns are called after it");
            } else if name.contains(|c: char| c.is_control() || ",;\"".contains(c)) {
                let problem = format!("{name:?} cannot be the name of columns");
                self.fail(&at, problem, "leave commas, semicolons and quotes out");
            } else if name == Track::TAKEN {
                let problem = format!("the table has columns called {name:?} already");
                self.fail(&at, problem, "they are those of all mass; take another name");
            } else if !names.insert(name) {
                let problem = format!("{name:?} is tracked twice");
                self.fail(&at, problem, "give each its own name");
            }
            match &track.part {
                TrackPart::Vertex(_) => {}
                TrackPart::Point(point) => drop(self.finite(&format!("{path}.point"), point)),
                TrackPart::Region(region) => self.region(&format!("{path}.region"), region),
            }
        }
    }

    fn picture(&mut self, output: &Output) {
        let picture = &output.picture;
        let [width, height] = picture.size;
        let path = "output.picture.size";
        if [width, height].iter().any(|n| !(1..=Picture::LARGEST_SIDE).contains(n)) {
            let largest = Picture::LARGEST_SIDE;
            let problem = format!("`{path}` must be from 1 to {largest} pixels each way");
            self.fail(path, problem, "for example [960, 720]");
        } else if output.mp4 && u64::from(width) * u64::from(height) > Picture::MOST_MP4_PIXELS {
            let problem = format!("an MP4 cannot have {width} × {height} pixels");
            self.fail(path, problem, "35 million are possible, such as [8192, 4320]");
        }
        if let Some(fps) = picture.fps {
            let [least, most] = Picture::FPS;
            let path = "output.picture.fps";
            if self.finite(path, &[fps]) && !(least..=most).contains(&fps) {
                self.fail(path, format!("`{path}` must be from {least} to {most}, not {fps}"), "");
            }
        }
        self.picture_range(picture);
        if let Some(volume) = &picture.volume {
            self.volume(volume);
        }
        let camera = &picture.camera;
        self.direction("output.picture.camera.direction", camera.direction);
        self.finite("output.picture.camera.target", &camera.target.unwrap_or_default());
        let distance = camera.distance.unwrap_or(1.0);
        self.positive("output.picture.camera.distance", &[distance], "m");
        self.direction("output.picture.camera.up", camera.up);
        let (path, angle) = ("output.picture.camera.field_of_view", camera.field_of_view);
        let [least, most] = PictureCamera::FIELD_OF_VIEW;
        if self.finite(path, &[angle]) && !(least..=most).contains(&angle) {
            let problem = format!("`{path}` must be from {least}° to {most}°, not {angle}°");
            self.fail(path, problem, "35 is usual; a wide angle is 70");
        }
    }

    fn volume(&mut self, volume: &PictureVolume) {
        let at = |key: &str| format!("output.picture.volume.{key}");
        let densest = PictureVolume::DENSEST;
        let mut density = |path: &str, number: f64| {
            if self.finite(path, &[number]) && !(0.0..=densest).contains(&number) {
                self.fail(path, format!("`{path}` must be from 0 to {densest}, not {number}"), "");
            }
        };
        density(&at("opacity"), volume.opacity);
        if let Some(Transfer::Points(points)) = &volume.transfer {
            for (i, point) in points.iter().enumerate() {
                density(&at(&format!("transfer[{i}].density")), point.density);
            }
            self.transfer(&at("transfer"), points);
        }
        if volume.iso.len() > PictureVolume::MOST_ISOS {
            let most = PictureVolume::MOST_ISOS;
            self.fail(&at("iso"), format!("`{}` may have {most} surfaces", at("iso")), "");
        }
        for (i, iso) in volume.iso.iter().enumerate() {
            self.finite(&at(&format!("iso[{i}]")), &[iso.value]);
            self.fraction(&at(&format!("iso[{i}].opacity")), iso.opacity);
        }
        if let Some(slice) = &volume.slice {
            self.direction(&at("slice.normal"), slice.normal);
            self.finite(&at("slice.point"), &slice.point.unwrap_or_default());
        }
    }

    fn transfer(&mut self, path: &str, points: &[TransferPoint]) {
        let most = PictureVolume::MOST_POINTS;
        if !(1..=most).contains(&points.len()) {
            let problem = format!("`{path}` needs 1 to {most} points, not {}", points.len());
            self.fail(path, problem, "or name a preset, such as \"tissue\"");
        }
        let mut last = 0.0;
        for (i, point) in points.iter().enumerate() {
            let path = format!("{path}[{i}].at");
            self.fraction(&path, point.at);
            if point.at < last {
                let problem =
                    format!("`{path}` must not be below that of the point before, {last}");
                self.fail(&path, problem, "points are in the order of their values");
            }
            last = point.at;
        }
    }

    fn picture_range(&mut self, picture: &Picture) {
        let path = "output.picture.range";
        let Some([low, high]) = picture.range else { return };
        if !self.finite(path, &[low, high]) {
            return;
        }
        let colour = &picture.colour;
        if low >= high {
            self.fail(path, format!("`{path}` must rise, not go from {low} to {high}"), "");
        } else if *colour == PictureColour::Force && low != 0.0 {
            self.fail(path, format!("the range of forces begins at 0, not at {low}"), "");
        } else if !colour.has_values() && picture.volume.is_none() {
            let message = format!("the range does nothing: pictures show no values (`{colour}`)");
            self.warn(path, message);
        }
    }
}

fn element_count(source: &Source) -> f64 {
    match source {
        Source::Shape(shape) => {
            Some(shape.element_estimate()).filter(|n| n.is_finite()).unwrap_or(0.0)
        }
        Source::Inline(mesh) => mesh.tets.len().max(mesh.triangles.len()) as f64,
        Source::Mesh { .. } => 0.0,
    }
}
