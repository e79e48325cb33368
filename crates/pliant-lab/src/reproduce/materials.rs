//! Young's modulus and Poisson's ratio of bars beside those asked for.

use std::path::{Path, PathBuf};

use pliant_mesh::Mesh;
use pliant_mesh::shapes::{self, Split};
use pliant_sim::scene::{Mass, Material, Stiffness, Volume};

use super::statics::Specimen;
use super::{Effort, Experiment, ReproduceError, Row};

pub const EXPERIMENT: Experiment = Experiment {
    name: "materials",
    about: "Young's modulus and Poisson's ratio of bars in tension, and their shear and bulk modulus",
    method: "Statics of the compiled bodies at small strain, by the reference formula in double \
             precision. Tension: ends held apart, free to get thinner; the modulus is force per area and \
             strain, Poisson's ratio is taken in the middle. Shear (mean of three planes) and bulk: even \
             stress on the surface. Bending: one end held, under its weight, beside Timoshenko's beam; this is \
             not corrected for. The exact figure is the one asked for, or what follows from the two. \
             With `young` alone, volume = \"auto\". Meshes of the folder of test data are included if \
             PLIANT_DATA names it or it is at ../shared/data.",
    run,
};

/// Young's modulus asked for \[Pa\].
const YOUNG: f64 = 1e5;
/// Poisson's ratios asked for.
const RATIOS: [f64; 2] = [0.3, 0.45];
/// Bars in the folder of test data.
const FILES: [&str; 4] = ["bar-2523.msh", "beam3_tet.veg", "cylinder_truth.msh", "cuboid.node"];

fn run(_: &Effort) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for (name, mesh) in generated().into_iter().chain(files()) {
        let start = rows.len();
        let specimen = Specimen::new(mesh.clone(), material(Volume::Auto))?;
        let tension = specimen.pull().ok_or_else(|| stuck(&name))?;
        let row = Row::new(format!("{name}: E, `young` alone"), None, tension.young, "Pa");
        rows.push(row.exact(YOUNG).note(format!("{} tetrahedra", mesh.tets.len())));
        for ratio in RATIOS {
            let specimen = Specimen::new(mesh.clone(), material(Volume::Poisson(ratio)))?;
            let tension = specimen.pull().ok_or_else(|| stuck(&name))?;
            let rest = [specimen.shear(), specimen.press(), specimen.bend(YOUNG, ratio)];
            let [Some(shear), Some(bulk), Some(bend)] = rest else { return Err(stuck(&name)) };
            let figures = [
                ("E", tension.young, YOUNG, "Pa"),
                ("ν", tension.poisson, ratio, ""),
                ("shear", shear, YOUNG / (2.0 + 2.0 * ratio), "Pa"),
                ("bulk", bulk, YOUNG / (3.0 - 6.0 * ratio), "Pa"),
                ("bending", bend, 1.0, "× beam"),
            ];
            for (what, ours, exact, unit) in figures {
                let name = format!("{name}: {what}, ν = {ratio}");
                let note = specimen.notes().join("; ");
                rows.push(Row::new(name, None, ours, unit).exact(exact).note(note));
            }
        }
        rows[start..].iter_mut().for_each(|r| r.backend = "double precision, 1 thread".into());
    }
    Ok(rows)
}

fn stuck(name: &str) -> ReproduceError {
    ReproduceError::Failed(format!("{name}: the forces do not come into balance"))
}

fn material(volume: Volume) -> Material {
    Material {
        mass: Mass::Density(1000.0),
        stiffness: Stiffness::Young(YOUNG),
        volume,
        ..Material::default()
    }
}

/// Regular and irregular bars of 0.4 × 0.1 × 0.1 m, coarse and fine.
fn generated() -> Vec<(String, Mesh)> {
    let size = [0.4, 0.1, 0.1];
    let (coarse, fine) = ([8, 2, 2], [20, 5, 5]);
    let bar = |cells, split| shapes::try_bar(cells, size, split);
    let irregular = |cells| shapes::irregular_bar(cells, size, 1);
    let meshes = [
        ("coarse bar, six per cell", bar(coarse, Split::Six)),
        ("fine bar, six per cell", bar(fine, Split::Six)),
        ("coarse bar, five per cell", bar(coarse, Split::Five)),
        ("fine bar, five per cell", bar(fine, Split::Five)),
        ("coarse irregular bar", irregular(coarse)),
        ("fine irregular bar", irregular(fine)),
    ];
    meshes.into_iter().filter_map(|(name, mesh)| Some((name.to_owned(), mesh.ok()?))).collect()
}

/// The bars that the folder of test data has.
fn files() -> Vec<(String, Mesh)> {
    let beside = if cfg!(test) {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data")
    } else {
        "../shared/data".into()
    };
    let folder = std::env::var_os("PLIANT_DATA").map_or(beside, PathBuf::from);
    let read = |name: &&str| {
        let mesh = pliant_mesh::load(folder.join("tet").join(name)).ok()?.mesh;
        Some(((*name).to_owned(), mesh))
    };
    FILES.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, mesh: Mesh, ratio: f64) {
        let specimen = Specimen::new(mesh, material(Volume::Poisson(ratio))).unwrap();
        let tension = specimen.pull().unwrap();
        println!("{name}, ν = {ratio}: {tension:?} {:?}", specimen.notes());
        assert!((tension.young / YOUNG - 1.0).abs() < 0.05, "{name} {ratio}: {tension:?}");
        assert!((tension.poisson - ratio).abs() < 0.02, "{name} {ratio}: {tension:?}");
    }

    #[test]
    fn bars_have_the_modulus_and_the_ratio_asked_for() {
        for (name, mesh) in generated() {
            let ratios: &[f64] =
                if mesh.tets.len() < 1000 { &[0.25, 0.3, 0.4, 0.49] } else { &[0.4] };
            ratios.iter().for_each(|&ratio| check(&name, mesh.clone(), ratio));
        }
    }

    #[test]
    fn bars_of_other_programs_have_them_too() {
        let files = files();
        if files.len() < FILES.len() {
            eprintln!("ignored: not all of {FILES:?} are there; set PLIANT_DATA to their folder");
        }
        for (name, mesh) in files {
            check(&name, mesh.clone(), 0.3);
            check(&name, mesh, 0.45);
        }
    }

    #[test]
    fn young_alone_is_stiffer_than_it_says() {
        // What the page on scenes tells about it.
        for (name, mesh) in generated() {
            let specimen = Specimen::new(mesh, material(Volume::Auto)).unwrap();
            let found = specimen.pull().unwrap().young / YOUNG;
            println!("{name}: {found:.3}");
            assert!((1.0..1.5).contains(&found), "{name}: {found}");
        }
    }
}
