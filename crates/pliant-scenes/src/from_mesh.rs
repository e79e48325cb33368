//! A scene for a mesh that comes alone: a soft body that drops into a box.

use std::path::PathBuf;

use pliant_mesh::topology::surface_edges;
use pliant_mesh::{Mesh, cage};
use pliant_sim::scene::{
    Body, Cage, Damping, Integrator, Mass, Material, Scale, Source, Stiffness, Volume, World,
    WorldBox,
};
use pliant_sim::{Backend, BuildError, Scene, Simulator, stability};

/// Sizes that are left as they are \[m\]; what is smaller or larger was meant in another unit.
const SIZES: [f64; 2] = [0.05, 5.0];
/// Size that others are given \[m\].
const SIZE: f64 = 0.5;
/// Density \[kg/m³\], and of a skin \[kg/m²\].
const DENSITY: [f64; 2] = [1000.0, 0.5];
/// Young's modulus in weights per area of a column as high as the body: like firm jelly.
const FIRMNESS: f64 = 40.0;
/// Cells of the cage that a closed surface is filled with, along its longest side.
const CELLS: u32 = 16;
/// Part of the largest stable timestep that is taken.
const CAUTION: f64 = 0.5;
/// The longest explicit step \[s\].
const LONGEST: f64 = 1e-3;
/// Elements times explicit steps that two cores of a common processor take in a second.
const PACE: f64 = 4e8;
/// Elements that take as long as starting a step.
const OVERHEAD: f64 = 1000.0;
/// An implicit step \[s\]: half a picture of most screens.
const FRAME: f64 = 1.0 / 120.0;
/// The tolerance of systems whose solution is only looked at: the bunny of the data folder moves as with a
/// tenth of it, in 250 iterations instead of 430.
const FOR_THE_EYE: f64 = 1e-3;

/// Why a mesh alone makes no scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshProblem {
    /// It encloses a volume that has no tetrahedra.
    #[error(
        "it is a closed surface without an inside: {triangles} triangles and no tetrahedra. It cannot be filled: \
         {reason}. It can be simulated as a hollow skin, or filled with another program (TetGen, fTetWild, Gmsh) and \
         opened then"
    )]
    Hollow {
        /// How many triangles it has.
        triangles: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is nothing to move.
    #[error("it has neither tetrahedra nor triangles that could be simulated")]
    Empty,
}

/// A scene in which the mesh of a file drops into a box, and what was decided for it. Closed surfaces, or nearly closed ones, are
/// filled with a cage that carries them; with `as_skin` they are hollow.
pub fn from_mesh(
    mesh: &Mesh,
    path: PathBuf,
    as_skin: bool,
) -> Result<(Scene, Vec<String>), MeshProblem> {
    if mesh.tets.is_empty() && mesh.triangles.is_empty() {
        return Err(MeshProblem::Empty);
    }
    let mut notes = Vec::new();
    let cage = match mesh.tets.is_empty() && !as_skin {
        true => cage_for(mesh, &mut notes)?,
        false => None,
    };
    let is_skin = mesh.tets.is_empty() && cage.is_none();
    let [low, high] = bounds(mesh).ok_or(MeshProblem::Empty)?;
    let extent: [f64; 3] = std::array::from_fn(|k| high[k] - low[k]);
    let longest = extent.iter().copied().fold(0.0, f64::max);
    let is_usual = (SIZES[0]..=SIZES[1]).contains(&longest);
    let scale = if is_usual || longest <= 0.0 { 1.0 } else { SIZE / longest };
    if scale != 1.0 {
        notes.push(format!(
            "the mesh is {longest:.4} m large as it is; it was scaled by {scale:.4} to {SIZE} m"
        ));
    }
    let size = longest * scale;
    let name = path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned());
    let middle = |k: usize| -scale * (low[k] / 2.0 + high[k] / 2.0);
    let body = Body {
        name: name.clone(),
        source: Source::Mesh { path, group: None },
        cage,
        scale: Scale::Uniform(scale),
        translate: [middle(0), middle(1), 0.35 * size - scale * low[2]],
        material: material(size, is_skin),
        ..Body::default()
    };
    let bounds = WorldBox {
        size: [4.0 * size, 4.0 * size, 3.0 * size],
        friction: 0.4,
        ..WorldBox::default()
    };
    let world = World { timestep: LONGEST, damping: 1.0, bounds: Some(bounds), ..World::default() };
    Ok((Scene { name, world, bodies: vec![body], ..Scene::default() }, notes))
}

/// The cage of a surface; none for a sheet, which is cloth.
fn cage_for(surface: &Mesh, notes: &mut Vec<String>) -> Result<Option<Cage>, MeshProblem> {
    let triangles = surface.triangles.len();
    match cage::cage(surface, CELLS) {
        Ok(made) => {
            notes.push(format!(
                "its {triangles} triangles enclose an inside without tetrahedra; it was filled with a cage of {} of them \
                 (bodies[0].cage.cells = {CELLS}), which carries the surface along",
                made.tets.len()
            ));
            Ok(Some(Cage { cells: CELLS }))
        }
        Err(problem) if surface_edges(&surface.triangles, None).is_closed() => {
            Err(MeshProblem::Hollow { triangles, reason: problem.to_string() })
        }
        Err(_) => Ok(None),
    }
}

/// What was chosen for a scene that came from a mesh alone.
pub struct ChosenSteps {
    /// What it is now; how to change it depends on the program.
    pub note: String,
    /// Why it does not take explicit steps, if it does not.
    pub warning: Option<String>,
}

/// Compiles a scene that came from a mesh alone and gives it the steps that suit it.
pub fn choose_steps_for_mesh(scene: &mut Scene) -> Result<ChosenSteps, BuildError> {
    // The stable step depends on the compiled mesh; compiling again with it is quick beside reading.
    let probe = Simulator::new(scene.clone(), Backend::Cpu { threads: 1 })?;
    let warning = choose_steps(&mut scene.world, &probe);
    let note = format!(
        "opened as a soft body of {} vertices that drops into a box; density, stiffness and the timestep \
         of {:.2e} s were chosen for it",
        probe.model().vertex_count(),
        scene.world.timestep
    );
    Ok(ChosenSteps { note, warning })
}

/// Chooses the steps for a compiled scene that came from a mesh alone: explicit ones where a common
/// processor keeps up with the clock, else implicit ones, of which the text tells.
pub fn choose_steps(world: &mut World, sim: &Simulator) -> Option<String> {
    let model = sim.model();
    let stable = stability::stable_timestep(sim).unwrap_or(LONGEST);
    let explicit = (CAUTION * stable).min(LONGEST);
    let elements = model.tets.len().max(model.triangles.len()) as f64;
    if (elements + OVERHEAD) / explicit <= PACE {
        world.timestep = explicit;
        return None;
    }
    world.integrator = Integrator::ImplicitEuler;
    world.timestep = FRAME;
    world.implicit.tolerance = FOR_THE_EYE;
    Some(format!(
        "small or badly shaped elements would need explicit steps of {explicit:.1e} s, too short to \
         play; it takes implicit steps of {:.1} ms instead, in which motion fades sooner than it should \
         (world.integrator = \"{}\"). `pliant mesh check` tells about the shapes",
        1e3 * FRAME,
        world.integrator
    ))
}

fn material(size: f64, is_skin: bool) -> Material {
    let [volume, area] = DENSITY;
    if is_skin {
        return Material {
            mass: Mass::Density(area),
            stiffness: Stiffness::Spring(60.0 * area * 9.81 * size),
            volume: Volume::None,
            damping: Damping::Time(2e-4),
        };
    }
    let young = FIRMNESS * volume * 9.81 * size;
    Material {
        mass: Mass::Density(volume),
        stiffness: Stiffness::Young(young),
        volume: Volume::Energy(2.0 * young),
        damping: Damping::Time(6e-4),
    }
}

fn bounds(mesh: &Mesh) -> Option<[[f64; 3]; 2]> {
    let used = mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten());
    let points = used.filter_map(|&v| mesh.points.get(v as usize));
    let points = points.filter(|p| p.iter().all(|c| c.is_finite()));
    points.fold(None, |bounds, p| {
        let [low, high] = bounds.unwrap_or([*p; 2]);
        Some([
            std::array::from_fn(|k| f64::min(low[k], p[k])),
            std::array::from_fn(|k| f64::max(high[k], p[k])),
        ])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron(scale: f64) -> Mesh {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Mesh {
            points: points.map(|p| p.map(|c: f64| c * scale)).into(),
            tets: vec![[0, 1, 2, 3]],
            ..Mesh::default()
        }
    }

    #[test]
    fn millimetres_are_noticed_and_the_body_starts_above_the_floor() {
        let (scene, notes) = from_mesh(&tetrahedron(120.0), "part.msh".into(), false).unwrap();
        assert_eq!(notes.len(), 1);
        assert_eq!(scene.name, "part");
        let low = scene.bodies[0].place([0.0; 3]);
        let high = scene.bodies[0].place([0.0, 0.0, 120.0]);
        assert!((high[2] - low[2] - SIZE).abs() < 1e-12 && low[2] > 0.1, "{low:?} {high:?}");
        let (_, notes) = from_mesh(&tetrahedron(0.3), "part.msh".into(), false).unwrap();
        assert!(notes.is_empty());
    }

    #[test]
    fn closed_surfaces_are_filled_unless_a_skin_is_wanted() {
        let mut mesh = tetrahedron(0.3);
        mesh.triangles = pliant_mesh::topology::boundary_faces(&mesh.tets);
        mesh.tets.clear();
        let (mut scene, notes) = from_mesh(&mesh, "ball.stl".into(), false).unwrap();
        assert_eq!(scene.bodies[0].cage, Some(Cage { cells: CELLS }));
        assert!(notes.iter().any(|n| n.contains("cage of")), "{notes:?}");
        scene.bodies[0].source = Source::Inline(mesh.clone());
        let sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
        let body = &sim.model().bodies[0];
        assert!(body.skin.as_ref().is_some_and(|skin| skin.triangles.len() == 4));
        assert!(body.tets.len() > 100 && sim.model().notes.is_empty(), "{:?}", sim.model().notes);
        let (scene, _) = from_mesh(&mesh, "ball.stl".into(), true).unwrap();
        assert_eq!(scene.bodies[0].cage, None);
        // Both sides of a leaf: closed by its edges, with nothing in it.
        let mut leaf = mesh.clone();
        leaf.triangles = vec![[0, 1, 2], [0, 2, 1]];
        let problem = from_mesh(&leaf, "leaf.stl".into(), false).unwrap_err();
        let MeshProblem::Hollow { triangles: 2, reason } = &problem else { panic!("{problem}") };
        assert!(reason.contains("flat"), "{reason}");
        assert!(from_mesh(&leaf, "leaf.stl".into(), true).is_ok());
        mesh.triangles.truncate(2);
        let (scene, _) = from_mesh(&mesh, "sheet.stl".into(), false).unwrap();
        assert_eq!(scene.bodies[0].cage, None, "an open sheet is cloth");
        mesh.triangles.clear();
        assert_eq!(from_mesh(&mesh, "dots.ply".into(), true).unwrap_err(), MeshProblem::Empty);
    }

    /// A block with two points that nearly coincide.
    fn pinched() -> Mesh {
        let mut mesh = pliant_mesh::shapes::bar([4; 3], [0.3; 3], pliant_mesh::shapes::Split::Six);
        let at = |p: [f64; 3]| move |q: &[f64; 3]| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-9);
        let a = mesh.points.iter().position(at([0.15; 3])).unwrap();
        let b = mesh.points.iter().position(at([0.225, 0.15, 0.15])).unwrap();
        mesh.points[b] = [0.150_003, 0.15, 0.15];
        assert_ne!(a, b);
        mesh
    }

    #[test]
    fn where_explicit_steps_are_too_short_to_play_they_are_implicit() {
        let (mut scene, _) = from_mesh(&pinched(), "p.msh".into(), false).unwrap();
        scene.bodies[0].source = Source::Inline(pinched());
        let probe = Simulator::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap();
        let text = choose_steps(&mut scene.world, &probe).expect("something to tell");
        assert!(text.contains("implicit-euler") && text.contains("explicit steps of"), "{text}");
        assert_eq!(
            (scene.world.integrator, scene.world.timestep),
            (Integrator::ImplicitEuler, FRAME)
        );
        let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
        let start = sim.report();
        let report = sim.step(180).unwrap();
        let fallen = start.center_of_mass[2] - report.center_of_mass[2];
        assert!(fallen > 0.05 && report.wall_contact_count > 0, "{report:?}");
    }

    #[test]
    fn what_comes_out_drops_and_comes_to_rest() {
        let mesh = tetrahedron(0.3);
        let (mut scene, _) = from_mesh(&mesh, "t.msh".into(), false).unwrap();
        scene.bodies[0].source = Source::Inline(mesh);
        let chosen = choose_steps_for_mesh(&mut scene).unwrap();
        assert!(chosen.note.contains("4 vertices") && chosen.warning.is_none());
        let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
        let steps = (3.0 / sim.world().timestep) as u64;
        let report = sim.step(steps).unwrap();
        assert!(report.max_speed < 0.2 && report.wall_contact_count > 0, "{report:?}");
    }
}
