//! Cages and skins of bodies.

use pliant_mesh::cage;
use pliant_mesh::embed::Carrier;

use super::*;
use crate::stages::skin::Skin;

impl Builder {
    /// The mesh that is simulated for a body, and the surface that it carries, if there is one: that of its own mesh where it has a
    /// cage, and its skin where it has one.
    pub(super) fn dress(
        &mut self,
        body: &Body,
        mesh: Mesh,
        files: &mut HashMap<PathBuf, Mesh>,
        budget: &Budget,
    ) -> Result<(Mesh, Option<Mesh>), BuildError> {
        let fail = |problem: String| BuildError::Unsuitable { body: body.name.clone(), problem };
        let (mesh, own) = match &body.cage {
            None => (mesh, None),
            Some(wish) => {
                let surface = cage::outside(&mesh);
                let made = cage::cage(&surface, wish.cells);
                (made.map_err(|e| fail(format!("its cage cannot be made: {e}")))?, Some(surface))
            }
        };
        let skin = match &body.skin {
            None => own,
            Some(skin) => {
                let surface = cage::outside(&self.mesh_of(body, &skin.source, files, budget)?);
                if surface.triangles.is_empty() {
                    return Err(fail("its skin has no triangles".into()));
                }
                Some(surface)
            }
        };
        Ok((mesh, skin))
    }

    /// Hangs a surface on the mesh of a body that was placed.
    pub(super) fn embed(
        &mut self,
        body: &Body,
        prepared: &Prepared,
        surface: &Mesh,
    ) -> Result<Arc<Skin>, BuildError> {
        index_limit("vertices of a skin", surface.points.len().max(surface.triangles.len()))?;
        let points: Vec<[f64; 3]> = surface.points.iter().map(|&p| body.place(p)).collect();
        let carrier = match prepared.kind {
            BodyKind::Tets => Carrier::Tets(&prepared.tets),
            BodyKind::Surface => Carrier::Triangles(&prepared.surface),
        };
        let far = prepared.edge.unwrap_or(0.0);
        let made = Skin::new(&points, &surface.triangles, &prepared.points, carrier, far);
        let Some((skin, outside)) = made else {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem: "its elements have no size, so that they can carry no skin; mend the mesh"
                    .into(),
            });
        };
        if outside.count > 0 {
            self.notes.push(format!(
                "body {:?}: {} of the {} vertices of its skin are farther outside of its mesh than an edge is long \
                 ({far:.3} m), one by {:.3} m; they follow the nearest element as if it went on there. Are both meshes in \
                 the same place and unit?",
                body.name,
                outside.count,
                points.len(),
                outside.farthest
            ));
        }
        Ok(Arc::new(skin))
    }
}
