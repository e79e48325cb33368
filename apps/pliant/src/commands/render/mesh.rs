//! Meshes as they are drawn, and the frames that runs write as VTU.

use std::path::Path;

use pliant::mesh::doctor::{self, Code};
use pliant::mesh::{DataArray, Mesh, load, topology};
use pliant::render::{Body, Bounds, Geometry, Image, Values, View, cpu};
use pliant::scene::{Picture, PictureCamera, PictureColour};
use pliant::session::export::MEASURED;
use pliant::session::pictures::volume::Inside;
use pliant::session::pictures::{scale, shot};

use super::{EMPTY, apply, camera_wish, needs_simulation, no_array};
use crate::args::RenderArgs;
use crate::failure::Failure;
use crate::volume::unseen::{self, There};

/// Chooses what is shown of the inside, if that is wanted and nobody has said it: the first scalar of
/// the file that no run has measured, or else the stress.
pub fn choose_inside(args: &mut RenderArgs, path: &Path) -> Result<(), Failure> {
    if !args.volume.volume {
        return Ok(());
    }
    let fail = |problem: &str, help: String| {
        Err(Failure::misuse(format!("{} {problem}", path.display())).help(help))
    };
    let mesh = load(path)?.mesh;
    if mesh.tets.is_empty() {
        return fail("has no tetrahedra to look into", "leave --volume away".into());
    }
    if args.colour.is_none() {
        let own = names(&mesh).into_iter().find(|name| !MEASURED.contains(name));
        let stress = mesh.tet_array("von_mises").map(|_| PictureColour::Stress);
        args.colour = own.map(|name| PictureColour::Field(name.into())).or(stress);
    }
    match &args.colour {
        None => {
            let many = mesh.point_data.iter().chain(&mesh.tet_data).find(|a| a.components > 3);
            let why = many.map_or("it has no arrays on points or tetrahedra".into(), |array| {
                let (name, parts) = (&array.name, array.components);
                format!(
                    "its {name:?} has {parts} components, and only scalars and vectors are shown"
                )
            });
            fail(
                "has no values to look into",
                format!("{why}; take another file, or leave --volume away"),
            )
        }
        Some(_) => Ok(()),
    }
}

/// Refuses meshes of which nothing would be seen: with points that are nowhere, or with tetrahedra that
/// have no outside, as when each is there twice.
fn check_shape(mesh: &Mesh, parts: &[ColouredMesh], path: &Path) -> Result<(), Failure> {
    let is_nowhere = |v: u32| !mesh.points[v as usize].iter().all(|c| c.is_finite());
    let mut used = mesh.tets.as_flattened().iter().chain(mesh.triangles.as_flattened());
    let has_no_outside = || parts.iter().all(|part| part.triangles.is_empty());
    let shown = path.display();
    let problem = if let Some(v) = used.find(|v| is_nowhere(**v)) {
        let tet = mesh.tets.iter().position(|tet| tet.contains(v));
        let of = tet.map_or(String::new(), |tet| format!(", a corner of tetrahedron {tet},"));
        format!("{shown}: point {v}{of} has a coordinate that is not finite")
    } else if !mesh.tets.is_empty() && has_no_outside() {
        let report = doctor::examine(mesh);
        let twin = report.finding(Code::DuplicateTets).and_then(|f| f.first.first());
        let why = twin.map_or(String::new(), |t| format!("; tetrahedron {t} repeats another"));
        format!("{shown}: the tetrahedra have no outside{why}")
    } else {
        return Ok(());
    };
    let help = format!("`pliant mesh check {shown}` tells all that is wrong with it");
    Err(Failure::new(problem).help(help).file(path))
}

/// Refuses values inside that are no numbers: nobody could tell what is not shown.
fn check_finite(
    mesh: &Mesh,
    Numbers { of_tets, values }: &Numbers,
    colour: &PictureColour,
    path: &Path,
) -> Result<(), Failure> {
    let inside = if *of_tets { vec![true; values.len()] } else { in_tets(mesh) };
    let bad = |i: &usize| inside[*i] && !values[*i].is_finite();
    let Some(first) = (0..values.len()).find(bad) else { return Ok(()) };
    let count = (0..values.len()).filter(bad).count();
    let of = if *of_tets { "tetrahedron" } else { "point" };
    let (path, name) = (path.display(), colour.name());
    // Some are, but not as they are drawn.
    let is_huge = (mesh.point_array(name).or_else(|| mesh.tet_array(name)))
        .and_then(|array| array.sizes().nth(first))
        .is_some_and(f64::is_finite);
    let what = if is_huge { "beyond single precision (3.4e38)" } else { "not finite" };
    let problem =
        format!("{path}: {count} values of {name:?} are {what}, the first at {of} {first}");
    Err(Failure::misuse(problem).help("mend the file, or show another array with --field"))
}

/// One picture of the mesh in a file, and what is to be said of it.
pub fn draw(args: &RenderArgs) -> Result<(Image, Vec<String>), Failure> {
    let drawing = Drawing::load(&args.input, args)?;
    let bounds = drawing.bounds().unwrap_or(EMPTY);
    let values: Vec<f32> = drawing.values().collect();
    let (view, size) = view(args, bounds, range(args, &values));
    let image = drawing.paint(&mut cpu::Renderer::new(), &view, size, None)?;
    Ok((image, warnings(args, bounds, extremes(values.into_iter()))))
}

/// What is to be said of wishes for meshes within `bounds` with these least and greatest values.
pub fn warnings(args: &RenderArgs, bounds: Bounds, extent: Option<[f32; 2]>) -> Vec<String> {
    unseen::warnings(&picture(args, bounds), &There { bounds: Some(bounds), extent })
}

/// How pictures of meshes within `bounds` look.
fn picture(args: &RenderArgs, bounds: Bounds) -> Picture {
    let mut picture = Picture {
        size: args.size.unwrap_or(Picture::default().size),
        colour: args.colour.clone().unwrap_or_default(),
        camera: camera_wish(args, &PictureCamera::default()),
        ..Picture::default()
    };
    args.volume.apply(&mut picture, Some(bounds.centre()));
    picture
}

/// The range of colours for these values: of arrays of the file all there is, of what runs measure
/// from nothing to what few exceed.
pub fn range(args: &RenderArgs, values: &[f32]) -> [f32; 2] {
    match &args.colour {
        Some(PictureColour::Field(_)) => scale::field_range(extremes(values.iter().copied())),
        _ => [0.0, scale::usual_top(values)],
    }
}

/// The least and the greatest finite value, if there is one.
pub fn extremes(values: impl Iterator<Item = f32>) -> Option<[f32; 2]> {
    let finite = values.filter(|v| v.is_finite()).map(|v| [v, v]);
    finite.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

/// The view of meshes within `bounds`, with colours in a range of values, and the size of pictures.
pub fn view(args: &RenderArgs, bounds: Bounds, range: [f32; 2]) -> (View, [u32; 2]) {
    let picture = picture(args, bounds);
    let colouring = scale::by_values(&picture.colour, range);
    let mut view = View::new(shot::framing(bounds, &picture));
    let inside = Inside { across: 2.0 * bounds.radius() / 3f64.sqrt(), middle: bounds.centre() };
    let look = |(wish, scale)| inside.look(wish, &picture.colour, &scale);
    view.volume = picture.volume.as_ref().zip(colouring.scale()).map(look);
    view.colouring = colouring;
    apply(args, &mut view, bounds);
    (view, picture.size)
}

/// A mesh as it is drawn.
pub struct Drawing {
    origin: [f64; 3],
    parts: Vec<ColouredMesh>,
    of_tets: bool,
}

/// The numbers that colours show.
struct Numbers {
    of_tets: bool,
    /// One for each point or each tetrahedron; none if colours show no numbers.
    values: Vec<f32>,
}

/// What has a colour of its own.
#[derive(Default)]
struct ColouredMesh {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    tets: Vec<[u32; 4]>,
    values: Vec<f32>,
}

impl Drawing {
    /// Reads a mesh to be drawn as `args` say.
    pub fn load(path: &Path, args: &RenderArgs) -> Result<Self, Failure> {
        let mut mesh = load(path)?.mesh;
        for point in &mut mesh.points {
            *point = args.up.turned(*point);
        }
        let colour = &args.colour.clone().unwrap_or_default();
        let numbers = numbers(&mesh, colour).ok_or_else(|| no_values(colour, &mesh, path))?;
        if args.volume.volume {
            check_finite(&mesh, &numbers, colour, path)?;
        }
        // Far from zero, single precision would show steps.
        let origin = mesh.points.iter().find(|p| p.iter().all(|c| c.is_finite()));
        let origin = origin.copied().unwrap_or_default();
        let parts = parts(&mesh, colour, &numbers, origin);
        check_shape(&mesh, &parts, path)?;
        Ok(Self { origin, parts, of_tets: numbers.of_tets })
    }

    /// The box round all of it \[m\].
    pub fn bounds(&self) -> Option<Bounds> {
        self.geometry(None).bounds()
    }

    /// The numbers that are shown as colours.
    pub fn values(&self) -> impl Iterator<Item = f32> {
        self.parts.iter().flat_map(|part| part.values.iter().copied())
    }

    /// Draws it, on a floor at a height \[m\] if there is one.
    pub fn paint(
        &self,
        renderer: &mut cpu::Renderer,
        view: &View,
        [width, height]: [u32; 2],
        ground: Option<f64>,
    ) -> Result<Image, Failure> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(renderer.render(&self.geometry(ground), view, width, height, threads)?.image)
    }

    fn geometry<'a>(&'a self, ground: Option<f64>) -> Geometry<'a> {
        let body = |part: &'a ColouredMesh| Body {
            positions: &part.positions,
            triangles: &part.triangles,
            tets: &part.tets,
            values: match self.of_tets {
                _ if part.values.is_empty() => Values::None,
                true => Values::Tets(&part.values),
                false => Values::Vertices(&part.values),
            },
            ..Body::default()
        };
        let bodies = self.parts.iter().map(body).collect();
        Geometry { origin: self.origin, bodies, ground, ..Geometry::default() }
    }
}

/// Splits a mesh into parts of different colours, each with vertices of its own.
fn parts(
    mesh: &Mesh,
    colour: &PictureColour,
    numbers: &Numbers,
    origin: [f64; 3],
) -> Vec<ColouredMesh> {
    let Numbers { of_tets, values } = numbers;
    let groups = groups(mesh, colour, *of_tets);
    let group = |v: u32| groups.get(v as usize).map_or(0, |g| *g as usize);
    let count = groups.iter().max().map_or(1, |most| *most as usize + 1);
    let mut parts: Vec<ColouredMesh> = (0..count).map(|_| ColouredMesh::default()).collect();
    let per_vertex = !of_tets && !values.is_empty();
    let mut number = Vec::with_capacity(mesh.points.len());
    for (v, point) in mesh.points.iter().enumerate() {
        let part = &mut parts[group(v as u32)];
        number.push(part.positions.len() as u32);
        part.positions.push(std::array::from_fn(|k| (point[k] - origin[k]) as f32));
        if per_vertex {
            part.values.push(values[v]);
        }
    }
    let own = |v: u32| number[v as usize];
    for triangle in surface(mesh) {
        parts[group(triangle[0])].triangles.push(triangle.map(own));
    }
    for (t, tet) in mesh.tets.iter().enumerate() {
        let part = &mut parts[group(tet[0])];
        part.tets.push(tet.map(own));
        if *of_tets {
            part.values.push(values[t]);
        }
    }
    parts
}

/// The part that each vertex belongs to; nothing if there is only one. By bodies, frames of runs
/// say which; where tetrahedra have values, cloth is apart, for it has none.
fn groups(mesh: &Mesh, colour: &PictureColour, of_tets: bool) -> Vec<u32> {
    match colour {
        PictureColour::Body => {
            let Some(bodies) = mesh.point_array("body") else { return Vec::new() };
            let most = mesh.points.len() as f64;
            let is_number = |b: &f64| b.fract() == 0.0 && (0.0..most).contains(b);
            // Another program may mean something else by the name.
            let sound = bodies.components == 1 && bodies.values.iter().all(is_number);
            let number = |b: &f64| *b as u32;
            if sound { bodies.values.iter().map(number).collect() } else { Vec::new() }
        }
        _ if of_tets => in_tets(mesh).into_iter().map(|inside| !inside as u32).collect(),
        _ => Vec::new(),
    }
}

/// Which vertices belong to tetrahedra.
fn in_tets(mesh: &Mesh) -> Vec<bool> {
    let mut inside = vec![false; mesh.points.len()];
    for &v in mesh.tets.as_flattened() {
        inside[v as usize] = true;
    }
    inside
}

/// The boundary of the tetrahedra, and triangles that are no part of them, such as cloth.
fn surface(mesh: &Mesh) -> Vec<[u32; 3]> {
    if mesh.tets.is_empty() {
        return mesh.triangles.clone();
    }
    let inside = in_tets(mesh);
    let is_sheet = |t: &&[u32; 3]| t.iter().any(|&v| !inside[v as usize]);
    let mut surface = topology::boundary_faces(&mesh.tets);
    surface.extend(mesh.triangles.iter().filter(is_sheet));
    surface
}

/// The values that colours show, by the names that runs write them under; nothing if there are none.
fn numbers(mesh: &Mesh, colour: &PictureColour) -> Option<Numbers> {
    let sizes = |array: &DataArray| -> Vec<f32> { array.sizes().map(|s| s as f32).collect() };
    let on_points = |name: &str| {
        let values = sizes(mesh.point_array(name)?);
        (values.len() == mesh.points.len()).then_some(Numbers { of_tets: false, values })
    };
    let on_tets = |name: &str| {
        let values = sizes(mesh.tet_array(name)?);
        let is_whole = values.len() == mesh.tets.len() && !values.is_empty();
        is_whole.then_some(Numbers { of_tets: true, values })
    };
    match colour {
        PictureColour::Body | PictureColour::Plain => {
            Some(Numbers { of_tets: false, values: Vec::new() })
        }
        PictureColour::Force => on_points("force"),
        PictureColour::Contact => on_points("contact_force"),
        PictureColour::Speed => on_points("velocity"),
        PictureColour::Displacement => on_points("displacement"),
        PictureColour::Stress => on_tets("von_mises"),
        PictureColour::Field(name) => on_points(name).or_else(|| on_tets(name)),
    }
}

/// The names of a mesh's arrays on points and tetrahedra, scalars on points first.
fn names(mesh: &Mesh) -> Vec<&str> {
    let mut arrays: Vec<&DataArray> = mesh.point_data.iter().chain(&mesh.tet_data).collect();
    arrays.retain(|a| (1..=3).contains(&a.components));
    arrays.sort_by_key(|a| a.components > 1);
    arrays.iter().map(|a| a.name.as_str()).collect()
}

/// Says what there is instead of values that are not there.
fn no_values(colour: &PictureColour, mesh: &Mesh, path: &Path) -> Failure {
    match colour {
        PictureColour::Field(name) => {
            no_array(name, &format!("nothing in {}", path.display()), &names(mesh))
        }
        _ => needs_simulation(colour, path),
    }
}
