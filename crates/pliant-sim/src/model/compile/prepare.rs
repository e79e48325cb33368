//! A body's mesh with its masses, springs and hinges, before it is placed.

use super::*;

/// A body's mesh ready to be placed, shared by its copies.
pub(super) struct Prepared {
    pub kind: BodyKind,
    pub points: Vec<[f64; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub surface: Vec<[u32; 3]>,
    /// What springs join: the edges of the mesh, of cloth more.
    pub springs: Vec<[u32; 2]>,
    /// Which of them a limit of strain is about.
    pub is_limited: Vec<bool>,
    /// Mean length of the edges \[m\], if there are any.
    pub edge: Option<f64>,
    pub mass: Vec<f64>,
    pub locked: Vec<bool>,
    /// What leads each point, if something does.
    pub pinned: Vec<Option<Arm>>,
    /// Whether a point belongs to an element.
    pub used: Vec<bool>,
    pub spring_modulus: f64,
    pub stiffness: Vec<f64>,
    pub volume: Volume,
    pub damping: Vec<f64>,
    /// Which triangles hinge on which edges, and the flexural rigidity \[N·m\].
    pub hinges: Option<Hinges>,
    /// What points are matched with their shape together, if they are.
    pub clusters: Option<Vec<Vec<u32>>>,
    pub fields: Arc<[Field]>,
    /// A surface that it carries.
    pub skin: Option<Arc<crate::stages::skin::Skin>>,
}

impl Builder {
    pub(super) fn prepare(&mut self, body: &Body, mesh: &Mesh) -> Result<Prepared, BuildError> {
        let points: Vec<[f64; 3]> = mesh.points.iter().map(|&p| body.place(p)).collect();
        let kind = if mesh.tets.is_empty() { BodyKind::Surface } else { BodyKind::Tets };
        let mut tets = mesh.tets.clone();
        let turned = turn_inverted(&points, &mut tets);
        if turned > 0 {
            self.notes
                .push(format!("body {:?}: {turned} inverted tetrahedra turned round", body.name));
        }
        // Shape matching takes the place of springs, unless it asks for them.
        let has_springs = body.shape_matching.as_ref().is_none_or(|matching| matching.springs);
        let is_cloud = mesh.tets.is_empty() && mesh.triangles.is_empty();
        let (spring_modulus, volume) = match has_springs {
            true => self.forces_of(body, kind, &points, &tets)?,
            false => (0.0, Volume::None),
        };
        let weight = |content: f64| match body.material.stiffness {
            Stiffness::Spring(k) => k,
            // Still to be divided by the squared length.
            Stiffness::Young(_) => spring_modulus * content,
            // It comes when the whole mesh is known.
            Stiffness::Cloth(_) => 0.0,
        };
        let mut share = vec![0.0; points.len()];
        let mut used = vec![false; points.len()];
        let (mut springs, mut stiffness, surface);
        match kind {
            BodyKind::Tets => {
                let volumes: Vec<f64> = tets.iter().map(|t| tet_volume(&points, t)).collect();
                let found = tet_edges(&tets, points.len());
                stiffness = vec![0.0; found.edges.len()];
                for (t, of) in found.of_element.iter().enumerate() {
                    for &e in of {
                        stiffness[e as usize] += weight(volumes[t]);
                    }
                    for &v in &tets[t] {
                        share[v as usize] += 0.25 * volumes[t];
                        used[v as usize] = true;
                    }
                }
                springs = found.edges;
                surface = topology::boundary_faces(&tets);
            }
            BodyKind::Surface => {
                let found = triangle_edges(&mesh.triangles, points.len());
                stiffness = vec![0.0; found.edges.len()];
                for (t, of) in mesh.triangles.iter().zip(&found.of_element) {
                    let area = triangle_area(&points, t);
                    for &e in of {
                        match body.material.stiffness {
                            // Each edge is one spring, however many triangles it has.
                            Stiffness::Spring(k) => stiffness[e as usize] = k,
                            _ => stiffness[e as usize] += weight(area),
                        }
                    }
                    for &v in t {
                        share[v as usize] += area / 3.0;
                        used[v as usize] = true;
                    }
                }
                springs = found.edges;
                surface = mesh.triangles.clone();
            }
        }
        let edge = mean_length(&points, &springs);
        if !has_springs {
            (springs, stiffness) = (Vec::new(), Vec::new());
        }
        if is_cloud {
            used.fill(true);
        }
        if is_cloud && matches!(body.material.mass, Mass::Density(_)) {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem: "material.mass.density is of volumes or areas, and its mesh has points alone; give \
                          `mass = { vertex = kg }` or `{ total = kg }`"
                    .into(),
            });
        }
        let mut is_limited = vec![true; springs.len()];
        match &body.material.stiffness {
            _ if !has_springs => {}
            Stiffness::Spring(_) => {}
            Stiffness::Young(_) => {
                for (k, &e) in stiffness.iter_mut().zip(&springs) {
                    *k = formula::spring_stiffness(*k, length(&points, e).powi(2));
                }
            }
            Stiffness::Cloth(cloth) => {
                let [from, to] = [[0.0; 3], cloth.warp].map(|p| Vec3::<f64>::from(body.place(p)));
                let found = cloth::springs(&points, &surface, to - from, cloth);
                self.notes.extend(found.note.map(|note| format!("body {:?}: {note}", body.name)));
                (springs, stiffness) = (found.ends, found.stiffness);
                is_limited = found.is_thread;
            }
        }
        let damping = match body.material.damping {
            Damping::Time(time) => stiffness.iter().map(|k| time * k).collect(),
            Damping::Coefficient(kappa) => vec![kappa; springs.len()],
        };
        let unused = used.iter().filter(|&&u| !u).count();
        if unused > 0 {
            self.notes.push(format!(
                "body {:?}: {unused} points belong to no element; they stay where they are",
                body.name
            ));
        }
        let mut locked: Vec<bool> = used.iter().map(|&u| !u).collect();
        self.lock(body, mesh, &points, &mut locked)?;
        let pinned = pinned(&body.pins, mesh, &points, &used)
            .map_err(|problem| BuildError::Unsuitable { body: body.name.clone(), problem })?;
        locked.iter_mut().zip(&pinned).for_each(|(locked, pin)| *locked |= pin.is_some());
        let mass = mass::masses(body.material.mass, &share, &used);
        if let Some(i) = (0..mass.len()).find(|&i| used[i] && !locked[i] && mass[i] <= 0.0) {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem: format!(
                    "point {i} has no mass because its elements have no volume; \
                     give a mass per vertex or mend the mesh"
                ),
            });
        }
        let hinges = match body.material.stiffness {
            Stiffness::Cloth(cloth) if cloth.bending > 0.0 && has_springs => {
                let found = Hinges::of(&points, &surface, &cloth).map_err(|problem| {
                    BuildError::Unsuitable { body: body.name.clone(), problem }
                })?;
                Some(found)
            }
            _ => None,
        };
        let found = body.shape_matching.as_ref().map(|m| clusters(m, mesh, &points, &used));
        let clusters = found
            .transpose()
            .map_err(|problem| BuildError::Unsuitable { body: body.name.clone(), problem })?;
        let fields = fields::of_mesh(mesh);
        Ok(Prepared {
            kind,
            points,
            tets,
            surface,
            springs,
            is_limited,
            edge,
            mass,
            locked,
            pinned,
            used,
            spring_modulus,
            stiffness,
            volume,
            damping,
            hinges,
            clusters,
            fields,
            skin: None,
        })
    }

    /// Modulus of a body's springs, where it has one, and its volume force.
    fn forces_of(
        &mut self,
        body: &Body,
        kind: BodyKind,
        points: &[[f64; 3]],
        tets: &[[u32; 4]],
    ) -> Result<(f64, Volume), BuildError> {
        let young = match body.material.stiffness {
            Stiffness::Young(modulus) => modulus,
            Stiffness::Spring(_) | Stiffness::Cloth(_) => 0.0,
        };
        if kind == BodyKind::Tets && matches!(body.material.stiffness, Stiffness::Cloth(_)) {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem:
                    "material.stiffness.cloth is for surfaces, and its mesh has tetrahedra; give \
                          `stiffness = { young = Pa }`"
                        .into(),
            });
        }
        let Volume::Poisson(poisson) = body.material.volume else {
            return Ok((young, body.material.volume_force()));
        };
        if kind == BodyKind::Surface {
            return Err(BuildError::Unsuitable {
                body: body.name.clone(),
                problem: "material.volume.poisson is for bodies of tetrahedra, and its mesh is a \
                          surface; leave out `volume`"
                    .into(),
            });
        }
        let found = calibrate(points, tets, young, poisson);
        self.notes.extend(found.problem.map(|p| format!("body {:?}: {p}", body.name)));
        Ok((found.moduli.springs, Volume::Energy(found.moduli.volume)))
    }

    /// Marks the vertices that the body's lock regions and the mesh's own flags name.
    fn lock(
        &mut self,
        body: &Body,
        mesh: &Mesh,
        points: &[[f64; 3]],
        locked: &mut [bool],
    ) -> Result<(), BuildError> {
        let fail = |problem: String| BuildError::Unsuitable { body: body.name.clone(), problem };
        let flag = (!body.ignore_flags && mesh.point_array("lock").is_some())
            .then(|| Region::Flag("lock".into()));
        for (number, region) in body.locks.iter().chain(&flag).enumerate() {
            let chosen = select(region, mesh, points)
                .map_err(|problem| fail(format!("locks[{number}]: {problem}")))?;
            let mut any_new = false;
            for (locked, chosen) in locked.iter_mut().zip(chosen) {
                any_new |= chosen && !*locked;
                *locked |= chosen;
            }
            if !any_new && region.contains([0.0; 3]).is_some() {
                self.notes.push(format!(
                    "body {:?}: locks[{number}] holds no vertex that was not held already; check its place",
                    body.name
                ));
            }
        }
        Ok(())
    }
}

fn turn_inverted(points: &[[f64; 3]], tets: &mut [[u32; 4]]) -> usize {
    let mut turned = 0;
    for t in tets {
        if tet_volume(points, t) < 0.0 {
            t.swap(2, 3);
            turned += 1;
        }
    }
    turned
}

fn tet_volume(points: &[[f64; 3]], t: &[u32; 4]) -> f64 {
    pliant_mesh::geometry::signed_volume(t.map(|v| points[v as usize]))
}

fn triangle_area(points: &[[f64; 3]], t: &[u32; 3]) -> f64 {
    let [a, b, c] = t.map(|v| Vec3::<f64>::from(points[v as usize]));
    0.5 * (b - a).cross(c - a).length()
}

fn length(points: &[[f64; 3]], [a, b]: [u32; 2]) -> f64 {
    (Vec3::<f64>::from(points[b as usize]) - Vec3::from(points[a as usize])).length()
}

/// Mean length of the edges; `None` without any.
fn mean_length(points: &[[f64; 3]], edges: &[[u32; 2]]) -> Option<f64> {
    let sum: f64 = edges.iter().map(|&e| length(points, e)).sum();
    (!edges.is_empty()).then(|| sum / edges.len() as f64)
}
