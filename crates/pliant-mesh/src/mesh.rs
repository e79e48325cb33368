//! The mesh container that every reader fills and every writer empties.

/// What a mesh file holds: points, elements, the arrays attached to them and named groups.
///
/// Indices are 0-based and were checked against the point count by whoever built the mesh
/// ([`Mesh::check_indices`]). Orientation is kept as the file has it; the doctor turns inverted
/// tetrahedra round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Coordinates \[m, unless the file's author thought otherwise\].
    pub points: Vec<[f64; 3]>,
    /// Corner indices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
    /// Corner indices of each triangle: the whole of a surface mesh, or the surface patches that a
    /// volume file lists beside its tetrahedra.
    pub triangles: Vec<[u32; 3]>,
    /// Arrays with one tuple per point.
    pub point_data: Vec<DataArray>,
    /// Arrays with one tuple per tetrahedron.
    pub tet_data: Vec<DataArray>,
    /// Arrays with one tuple per triangle.
    pub triangle_data: Vec<DataArray>,
    /// Named sets of points, tetrahedra or triangles.
    pub groups: Vec<Group>,
}

/// A named array with one tuple per point, tetrahedron or triangle.
///
/// Values are kept as `f64` whatever the file stored: integers above 2⁵³ lose their last digits.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// Name as in the file, or the reader's own (`marker`, `lock`, `region`, …).
    pub name: String,
    /// Numbers per tuple: 1 for a scalar, 3 for a vector.
    pub components: usize,
    /// All tuples, one after the other.
    pub values: Vec<f64>,
}

impl DataArray {
    /// A scalar array.
    pub fn scalar(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self { name: name.into(), components: 1, values }
    }

    /// How many whole tuples the array holds.
    pub fn tuple_count(&self) -> usize {
        self.values.len().checked_div(self.components).unwrap_or(0)
    }

    /// Tuple `i`.
    pub fn tuple(&self, i: usize) -> &[f64] {
        &self.values[i * self.components..(i + 1) * self.components]
    }

    /// One number for each tuple: a scalar itself, the length of a vector.
    pub fn sizes(&self) -> impl Iterator<Item = f64> {
        (0..self.tuple_count()).map(|i| match self.tuple(i) {
            [scalar] => *scalar,
            vector => vector.iter().fold(0.0, |sum: f64, c| sum.hypot(*c)),
        })
    }
}

/// What a [`Group`] has as members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// Indices into [`Mesh::points`].
    Points,
    /// Indices into [`Mesh::tets`].
    Tets,
    /// Indices into [`Mesh::triangles`].
    Triangles,
}

/// A named set of points, tetrahedra or triangles (Gmsh physical names, OBJ groups, Vega sets).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name as in the file.
    pub name: String,
    /// What the members index.
    pub domain: Domain,
    /// Sorted indices without repetition.
    pub members: Vec<u32>,
}

impl Mesh {
    /// The point array called `name`.
    pub fn point_array(&self, name: &str) -> Option<&DataArray> {
        self.point_data.iter().find(|a| a.name == name)
    }

    /// The tetrahedron array called `name`.
    pub fn tet_array(&self, name: &str) -> Option<&DataArray> {
        self.tet_data.iter().find(|a| a.name == name)
    }

    /// The group called `name` over `domain`.
    pub fn group(&self, name: &str, domain: Domain) -> Option<&Group> {
        self.groups.iter().find(|g| g.domain == domain && g.name == name)
    }

    /// The first element whose corner lies outside the point list, said in words.
    pub fn check_indices(&self) -> Result<(), String> {
        let n = self.points.len();
        let bad = |c: &&u32| **c as usize >= n;
        for (i, t) in self.tets.iter().enumerate() {
            if let Some(c) = t.iter().find(bad) {
                return Err(format!(
                    "tetrahedron {i} refers to point {c}, but there are {n} points"
                ));
            }
        }
        for (i, t) in self.triangles.iter().enumerate() {
            if let Some(c) = t.iter().find(bad) {
                return Err(format!("triangle {i} refers to point {c}, but there are {n} points"));
            }
        }
        Ok(())
    }
}
