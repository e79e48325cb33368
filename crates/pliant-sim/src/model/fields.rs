//! Numbers that mesh files bring along: densities, pressures, whatever a scan or another program left
//! there. They change nothing in the simulation; they are shown on the moving bodies, and written again
//! with results.

use std::sync::Arc;

use pliant_mesh::Mesh;

use super::{BodyModel, Model};
use crate::scene::{PictureColour, Problem, Scene, SceneError};

/// What a field has numbers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldOn {
    /// Each vertex.
    Vertices,
    /// Each tetrahedron.
    Tets,
}

/// One number for each vertex or each tetrahedron of a body, in the order of its mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// As in the mesh file.
    pub name: String,
    /// Vertices or tetrahedra.
    pub on: FieldOn,
    /// The numbers, of vectors their lengths; not a number where the file has none.
    pub values: Vec<f32>,
}

impl Field {
    /// Least and greatest finite number; nothing if there is none.
    pub fn range(&self) -> Option<[f32; 2]> {
        join(self.values.iter().filter(|v| v.is_finite()).map(|&v| [v, v]))
    }
}

/// The fields of a mesh: its scalars and vectors on points and tetrahedra. Arrays of another length
/// than there are points or tetrahedra, tensors, and names that came before are left out.
pub(super) fn of_mesh(mesh: &Mesh) -> Arc<[Field]> {
    let domains = [
        (&mesh.point_data, FieldOn::Vertices, mesh.points.len()),
        (&mesh.tet_data, FieldOn::Tets, mesh.tets.len()),
    ];
    let mut fields: Vec<Field> = Vec::new();
    for (arrays, on, count) in domains {
        for array in arrays {
            let is_whole = count > 0 && array.values.len() == count * array.components;
            let is_new = fields.iter().all(|f| f.name != array.name);
            if (1..=3).contains(&array.components) && is_whole && is_new {
                let values = array.sizes().map(|size| size as f32).collect();
                fields.push(Field { name: array.name.clone(), on, values });
            }
        }
    }
    fields.into()
}

impl Model {
    /// Names of the fields that mesh files brought along, those on vertices first, each once.
    pub fn field_names(&self) -> Vec<&str> {
        names(&self.bodies)
    }

    /// The field called `name` of body number `body`.
    pub fn field(&self, body: usize, name: &str) -> Option<&Field> {
        self.bodies.get(body)?.fields.iter().find(|f| f.name == name)
    }

    /// Least and greatest finite number of the field called `name` on all bodies.
    pub fn field_range(&self, name: &str) -> Option<[f32; 2]> {
        join((0..self.bodies.len()).filter_map(|b| self.field(b, name)?.range()))
    }
}

fn names(bodies: &[BodyModel]) -> Vec<&str> {
    let mut names = Vec::new();
    for on in [FieldOn::Vertices, FieldOn::Tets] {
        for field in bodies.iter().flat_map(|b| b.fields.iter()).filter(|f| f.on == on) {
            if !names.contains(&field.name.as_str()) {
                names.push(&field.name);
            }
        }
    }
    names
}

/// Refuses pictures of a field that no body has.
pub(super) fn check_shown(bodies: &[BodyModel], scene: &Scene) -> Result<(), SceneError> {
    let PictureColour::Field(wanted) = &scene.output.picture.colour else { return Ok(()) };
    let names = names(bodies);
    if names.contains(&wanted.as_str()) {
        return Ok(());
    }
    let help = match &names[..] {
        [] => "the meshes of this scene have no arrays; show stress, speed or displacement".into(),
        names => format!("they have {}", names.join(", ")),
    };
    let message = format!("no mesh of the scene has an array called {wanted:?}");
    Err(SceneError::new(vec![Problem::new("output.picture.colour", message).help(help)]))
}

/// The range that holds all ranges.
fn join(ranges: impl Iterator<Item = [f32; 2]>) -> Option<[f32; 2]> {
    ranges.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}
