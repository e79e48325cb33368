//! Formulas in Rust and in WGSL are twins: functions of the same names, in the same order, so that one can
//! be read beside the other. Every `formula.rs` and `formula.wgsl` is found by itself; other pairs are
//! listed.

use std::fs;
use std::path::{Path, PathBuf};

/// Pairs that are not called `formula`, below `src`.
const PAIRS: &[&str] = &[
    "matrix",
    "contact/closest",
    "stages/elastic/fixed",
    "stages/implicit/contact",
    "stages/implicit/planes",
];

/// Functions that only one of the twins has, and why.
const ALONE: &[(&str, &[&str], &str)] = &[
    ("matrix.rs", &["sum", "transposed", "times"], "WGSL has operators for them"),
    ("matrix.wgsl", &["diagonal_matrix"], "only the drivers on devices ask for it"),
    (
        "stages/bending/formula.rs",
        &["hinge_coefficients"],
        "coefficients are prepared on the host, in double precision",
    ),
    (
        "stages/bending/formula.wgsl",
        &["hinge_of", "arc_tangent"],
        "a structure in Rust, and a function of its numbers",
    ),
    (
        "stages/elastic/formula.rs",
        &["spring_stiffness", "guarded_six_volumes", "energy_coefficients", "thesis_coefficients"],
        "coefficients are prepared on the host, in double precision",
    ),
    (
        "stages/elastic/formula.rs",
        &["spring_hessian", "volume_hessian"],
        "what the pair blocks are compared with, by tests",
    ),
    ("stages/elastic/formula.wgsl", &["is_thesis"], "devices keep the form in the sign of a"),
    (
        "stages/elastic/formula.wgsl",
        &["across_matrix"],
        "the CPU adds its two parts to the block one after the other; its bits depend on it",
    ),
    ("stages/colliders/formula.wgsl", &["height"], "an array in Rust"),
    ("contact/closest.rs", &["distance_squared", "distance"], "WGSL has vectors for them"),
    (
        "contact/closest.wgsl",
        &["is_finite", "is_positive", "is_between"],
        "compilers of devices may assume that numbers are numbers, so bits are compared",
    ),
    ("contact/closest.wgsl", &["gap_along"], "closures in Rust, and no function twice"),
    ("stages/contact/formula.wgsl", &["tangent"], "a closure in Rust"),
    ("stages/elastic/fixed.rs", &["unit"], "the host chooses the unit"),
    (
        "stages/implicit/formula.rs",
        &["inverse_symmetric"],
        "the CPU keeps inverses of vertices' own blocks, devices keep factors",
    ),
    ("stages/implicit/formula.wgsl", &["factors", "matrix_of_factors", "precondition"], "the same"),
    ("stages/implicit/contact.rs", &["after", "length"], "WGSL has vectors for them"),
    ("stages/implicit/contact.wgsl", &["load_contact"], "the CPU has it in a structure"),
    (
        "stages/implicit/planes.rs",
        &["identity", "add_scaled", "square", "times"],
        "WGSL has matrices for them",
    ),
    (
        "stages/implicit/planes.rs",
        &["list", "is_empty", "with"],
        "the fields of a structure in WGSL",
    ),
    (
        "stages/implicit/planes.wgsl",
        &["least_sine", "with_plane", "most_friction"],
        "what drivers shall keep in registers is not found by its number",
    ),
    (
        "stages/integrate/formula.rs",
        &["splat", "new", "stage", "sets_position", "start", "apply"],
        "the host prepares coefficients and chooses the update",
    ),
    (
        "stages/plasticity/formula.rs",
        &["volume_coefficients"],
        "devices keep w0 in place of b = a·w0",
    ),
    ("stages/plasticity/formula.wgsl", &["distance_of"], "a method of the vectors in Rust"),
    (
        "stages/plasticity/formula.wgsl",
        &["merged_length"],
        "the CPU keeps k·L0 in place of the length, and that is a plain sum",
    ),
    (
        "stages/shapes/formula.rs",
        &["transformed", "product", "projected", "mixed", "determinant_of"],
        "WGSL has operators for them",
    ),
    ("stages/shapes/formula.wgsl", &["square_of"], "a closure in Rust"),
    ("stages/walls/formula.rs", &["contains"], "a comparison of vectors in WGSL"),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All pairs, without their endings, below `src`.
fn pairs() -> Vec<String> {
    let mut found: Vec<String> = PAIRS.iter().map(ToString::to_string).collect();
    for folder in fs::read_dir(source().join("stages")).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        let formula = format!("stages/{name}/formula");
        let [rust, wgsl] =
            ["rs", "wgsl"].map(|end| source().join(format!("{formula}.{end}")).exists());
        assert_eq!(rust, wgsl, "{formula} has no twin");
        if wgsl {
            found.push(formula);
        }
    }
    found
}

/// The functions that a file defines, in order, without those of its tests.
fn functions(file: &str) -> Vec<String> {
    let text = fs::read_to_string(source().join(file)).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap();
    let name_of = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
        let rest = line.strip_prefix("fn ")?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(rest[..end].to_owned())
    };
    text.lines().filter_map(name_of).collect()
}

/// The functions of a file that its twin must have.
fn shared(file: &str) -> Vec<String> {
    let names = functions(file);
    let alone: Vec<&str> = ALONE
        .iter()
        .filter(|(of, ..)| *of == file)
        .flat_map(|(_, names, _)| names.iter().copied())
        .collect();
    for name in &alone {
        assert!(names.iter().any(|n| n == name), "{file} has no `{name}`: strike it off the list");
    }
    names.into_iter().filter(|n| !alone.contains(&n.as_str())).collect()
}

#[test]
fn twins_have_the_same_functions_in_the_same_order() {
    let pairs = pairs();
    assert!(pairs.len() >= 9, "{pairs:?}");
    for pair in &pairs {
        let [rust, wgsl] = ["rs", "wgsl"].map(|end| shared(&format!("{pair}.{end}")));
        assert!(!rust.is_empty(), "{pair}");
        assert_eq!(rust, wgsl, "{pair}.rs and {pair}.wgsl");
    }
    for (file, ..) in ALONE {
        let pair = file.rsplit_once('.').unwrap().0;
        assert!(pairs.iter().any(|p| p == pair), "{file} is no twin");
    }
}
