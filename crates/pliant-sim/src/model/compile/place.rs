//! Copies of a body in the arrays of the model.

use super::*;

impl Builder {
    pub(super) fn place(
        &mut self,
        body: &Body,
        p: &Prepared,
        name: String,
        offset: [f64; 3],
    ) -> Result<(), BuildError> {
        let first = self.rest.len();
        index_limit("vertices", first + p.points.len())?;
        index_limit("tetrahedra", self.tets.len() + p.tets.len())?;
        index_limit("springs", self.springs.len() + p.springs.len())?;
        let shift = |v: u32| v + first as u32;
        // Points without mass belong to no element, and may lie anywhere.
        let used = p.points.iter().zip(&p.mass).filter(|(_, m)| **m > 0.0).map(|(p, _)| p);
        let (origin, size) = middle(used);
        let local =
            |i: usize| -> [f32; 3] { std::array::from_fn(|k| (p.points[i][k] - origin[k]) as f32) };
        let velocity = start_velocity(body, p);
        for i in 0..p.points.len() {
            self.rest.push(local(i));
            self.mass.push(p.mass[i] as f32);
            self.inv_mass.push(if p.locked[i] { 0.0 } else { (1.0 / p.mass[i]) as f32 });
            self.start_velocity.push(if p.locked[i] { [0.0; 3] } else { velocity(i) });
        }
        let (path, number) = (self.pins.paths.len() as u32, self.bodies.len() as u32);
        let origin_of_copy = std::array::from_fn(|k| origin[k] + offset[k]);
        self.pins.paths.extend(body.pins.iter().map(|pin| PinPath {
            motion: pin.motion.clone(),
            body: number,
            origin: origin_of_copy,
        }));
        for (i, arm) in p.pinned.iter().enumerate() {
            let Some(Arm { pin, arm }) = *arm else { continue };
            let (vertex, rest) = (shift(i as u32), local(i));
            let arm = arm.map(|c| c as f32);
            self.pins.vertices.push(Pinned { vertex, path: path + pin, rest, arm });
        }
        let ranges = [self.tets.len(), self.springs.len(), self.triangles.len()];
        self.tets.extend(p.tets.iter().map(|t| t.map(shift)));
        self.add_volumes(p.volume, &name, ranges[0]);
        let limit = body.strain_limit.map(|limit| self.kind_of(limit));
        for (k, &e) in p.springs.iter().enumerate() {
            // Rest lengths come from the rounded coordinates, so that rest is rest.
            let [a, b] = e.map(|v| Vec3::<f64>::of(local(v as usize).map(f64::from)));
            let rest = (b - a).length();
            self.springs.push(e.map(shift));
            self.spring.push([p.stiffness[k] as f32, (p.stiffness[k] * rest) as f32]);
            self.damping.push(p.damping[k] as f32);
            if let Some(kind) = limit.filter(|_| p.is_limited[k]) {
                self.limited.push(MeshEdge { ends: e.map(shift), kind, rest });
            }
        }
        if let Some(hinges) = &p.hinges {
            let at = |v: u32| Vec3::<f64>::of(local(v as usize).map(f64::from));
            let placed = hinges.at(at).map(|(corners, hinge)| (corners.map(shift), hinge));
            self.hinges.extend(placed);
        }
        if let (Some(matching), Some(clusters)) = (&body.shape_matching, &p.clusters) {
            let known = self.shape_kinds.iter().position(|kind| kind == matching);
            let kind = known.unwrap_or_else(|| {
                self.shape_kinds.push(matching.clone());
                self.shape_kinds.len() - 1
            }) as u32;
            self.clusters.extend(clusters.iter().map(|cluster| ClusterOf {
                kind,
                vertices: cluster.iter().map(|&v| shift(v)).collect(),
            }));
        }
        self.triangles.extend(p.surface.iter().map(|t| t.map(shift)));
        self.bodies.push(BodyModel {
            name,
            kind: p.kind,
            vertices: range(first, self.rest.len()),
            tets: range(ranges[0], self.tets.len()),
            springs: range(ranges[1], self.springs.len()),
            triangles: range(ranges[2], self.triangles.len()),
            origin: origin_of_copy,
            size,
            edge: p.edge.unwrap_or(size),
            material: match &body.shape_matching {
                Some(matching) if !matching.springs => Material {
                    stiffness: Stiffness::Spring(0.0),
                    volume: Volume::None,
                    ..body.material.clone()
                },
                _ => body.material.clone(),
            },
            spring_modulus: p.spring_modulus,
            family: body.implicit.then_some(Family::Implicit),
            contact: body.contact.clone(),
            contact_filter: ContactFilter::of(body, &self.ignored),
            fields: Arc::clone(&p.fields),
            skin: p.skin.clone(),
        });
        Ok(())
    }

    /// The number of a kind of limit.
    pub(super) fn kind_of(&mut self, limit: StrainLimit) -> u32 {
        let kinds = &mut self.limits.kinds;
        let known = kinds.iter().position(|kind| *kind == limit);
        let number = known.unwrap_or_else(|| {
            kinds.push(limit);
            kinds.len() - 1
        });
        number as u32
    }

    /// Everything is stepped in single precision, whose range is smaller than that of the scene.
    pub(super) fn check_range(&self) -> Result<(), BuildError> {
        let fits = |values: &[f32]| values.iter().all(|v| v.is_finite());
        for b in &self.bodies {
            let range = |r: &Range<u32>| r.start as usize..r.end as usize;
            let (v, s, t) = (range(&b.vertices), range(&b.springs), range(&b.tets));
            let what = if !fits(self.rest[v.clone()].as_flattened()) {
                "its coordinates are"
            } else if !fits(self.start_velocity[v.clone()].as_flattened()) {
                "its velocity is"
            } else if !fits(&self.inv_mass[v.clone()]) || !fits(&self.mass[v.clone()]) {
                "its masses are"
            } else if !fits(self.spring[s].as_flattened()) {
                "the stiffness of its springs is"
            } else if !fits(self.volume[t].as_flattened()) {
                "its volume force is"
            } else if self
                .hinges
                .iter()
                .any(|(c, hinge)| b.vertices.contains(&c[0]) && !hinge.is_finite())
            {
                "its bending stiffness is"
            } else {
                continue;
            };
            return Err(BuildError::Unsuitable {
                body: b.name.clone(),
                problem: format!(
                    "{what} beyond what single precision can hold; use other units, or mend the mesh \
                     if points coincide"
                ),
            });
        }
        Ok(())
    }

    pub(super) fn add_volumes(&mut self, force: Volume, name: &str, first: usize) {
        let mut slivers = 0usize;
        for t in first..self.tets.len() {
            let c = self.tets[t].map(|v| Vec3::<f64>::of(self.rest[v as usize].map(f64::from)));
            let [rest6, guarded6] = formula::guarded_six_volumes(c);
            let [a, b] = match force {
                Volume::Auto | Volume::Poisson(_) | Volume::None => [0.0; 2],
                Volume::Thesis(stiffness) => formula::thesis_coefficients(stiffness, rest6),
                Volume::Energy(modulus) => {
                    slivers += usize::from(rest6 < guarded6);
                    formula::energy_coefficients(modulus, [rest6, guarded6])
                }
            };
            self.volume.push([a as f32, b as f32]);
            self.forms.push(form_of(force));
        }
        if slivers > 0 {
            self.notes.push(format!(
                "body {name:?}: {slivers} tetrahedra are slivers; their volume force is softened so \
                 that they do not dictate the timestep"
            ));
        }
    }
}

/// Centre and diagonal of the bounding box.
fn middle<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> ([f64; 3], f64) {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in points {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    let diagonal: f64 = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum();
    (std::array::from_fn(|k| 0.5 * (low[k] + high[k])), diagonal.sqrt())
}

/// Velocity of each point from the body's velocity and its spin about the centre of mass.
fn start_velocity<'a>(body: &'a Body, p: &'a Prepared) -> impl Fn(usize) -> [f32; 3] + 'a {
    let total: f64 = p.mass.iter().sum();
    let mut center = Vec3::<f64>::zero();
    for (m, &x) in p.mass.iter().zip(&p.points) {
        center += Vec3::from(x) * (m / total.max(f64::MIN_POSITIVE));
    }
    move |i| {
        let arm = Vec3::from(p.points[i]) - center;
        let v = Vec3::from(body.velocity) + Vec3::from(body.spin).cross(arm);
        v.to_f64().map(|c| c as f32)
    }
}

fn range(from: usize, to: usize) -> Range<u32> {
    from as u32..to as u32
}
