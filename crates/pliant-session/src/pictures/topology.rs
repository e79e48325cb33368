//! What is the same in all frames of a body.

use std::ops::Range;
use std::sync::Arc;

use pliant_sim::Model;
use pliant_sim::model::{BodyModel, Field};
use pliant_sim::stages::skin::Skin;

/// What is the same in all frames of a body, numbered from its first vertex.
#[derive(Clone, Debug)]
pub(super) struct BodyTopology {
    pub vertices: Range<usize>,
    pub tets: Range<usize>,
    pub tet_corners: Vec<[u32; 4]>,
    pub triangles: Vec<[u32; 3]>,
    pub locked: Vec<u32>,
    pub fields: Arc<[Field]>,
    pub skin: Option<Arc<Skin>>,
}

/// The bodies of a model. Each has its vertices and tetrahedra in one piece, in any numbering.
pub(super) fn parts(model: &Model) -> Vec<BodyTopology> {
    let user = |v: u32| model.vertex_order[v as usize];
    let mut tets = vec![[0; 4]; model.tets.len()];
    for (t, tet) in model.tets.iter().enumerate() {
        tets[model.tet_order[t] as usize] = tet.map(user);
    }
    let range = |r: &Range<u32>| r.start as usize..r.end as usize;
    let part = |body: &BodyModel| {
        let own = |v: u32| v - body.vertices.start;
        let is_locked = |v: &u32| model.inv_mass[*v as usize] == 0.0;
        let triangles = &model.triangles[range(&body.triangles)];
        BodyTopology {
            vertices: range(&body.vertices),
            tets: range(&body.tets),
            tet_corners: tets[range(&body.tets)].iter().map(|t| t.map(own)).collect(),
            triangles: triangles.iter().map(|t| t.map(|v| own(user(v)))).collect(),
            locked: body.vertices.clone().filter(is_locked).map(|v| own(user(v))).collect(),
            fields: Arc::clone(&body.fields),
            skin: body.skin.clone(),
        }
    };
    model.bodies.iter().map(part).collect()
}
