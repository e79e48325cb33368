//! WGSL from modules that import each other.
//!
//! A line `#import pliant::grid` stands for the text of that module, taken in once, before the
//! module that asks for it. There is no renaming: a name means the same everywhere, and what a
//! driver complains about can be found in the sources, to the line.

use crate::GpuError;

/// A piece of WGSL under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name, such as `pliant::grid`.
    pub name: &'static str,
    /// Its text.
    pub source: &'static str,
}

/// A kernel's whole text, and where each of its lines comes from.
#[derive(Clone, Debug, Default)]
pub struct Composed {
    /// WGSL without imports.
    pub source: String,
    origin: Vec<(&'static str, u32)>,
}

impl Composed {
    /// Module and line (from 1) of a line (from 1) of the whole.
    pub fn origin(&self, line: u32) -> Option<(&'static str, u32)> {
        self.origin.get((line as usize).checked_sub(1)?).copied()
    }
}

/// Joins `root` and everything it imports, directly or not.
pub fn compose(libraries: &[&[Module]], root: Module) -> Result<Composed, GpuError> {
    let mut composed = Composed::default();
    let mut done = Vec::new();
    take_in(libraries, root, &mut Vec::new(), &mut done, &mut composed)
        .map_err(|reason| GpuError::Kernel { label: root.name.into(), reason })?;
    Ok(composed)
}

fn take_in(
    libraries: &[&[Module]],
    module: Module,
    open: &mut Vec<&'static str>,
    done: &mut Vec<&'static str>,
    out: &mut Composed,
) -> Result<(), String> {
    open.push(module.name);
    // Imports come before the text, so that the text of a module stays in one piece.
    for (n, line) in module.source.lines().enumerate() {
        let Some(name) = line.trim().strip_prefix("#import ").map(str::trim) else { continue };
        if done.contains(&name) {
            continue;
        }
        let here = || format!("{}, line {}", module.name, n + 1);
        if open.contains(&name) {
            return Err(format!("{}: {name} imports itself in a circle", here()));
        }
        let found = libraries.iter().flat_map(|l| l.iter()).find(|m| m.name == name);
        let Some(&found) = found else {
            return Err(format!("{}: there is no module {name}", here()));
        };
        take_in(libraries, found, open, done, out)?;
    }
    for (n, line) in module.source.lines().enumerate() {
        if !line.trim_start().starts_with("#import ") {
            out.source.push_str(line);
        }
        out.source.push('\n');
        out.origin.push((module.name, n as u32 + 1));
    }
    open.pop();
    done.push(module.name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Module = Module { name: "a", source: "const A = 1;" };
    const B: Module = Module { name: "b", source: "#import a\nconst B = A;" };
    const ROOT: Module = Module { name: "root", source: "#import b\n#import a\nconst C = A + B;" };

    #[test]
    fn each_module_is_taken_in_once_before_it_is_needed() {
        let composed = compose(&[&[A, B]], ROOT).unwrap();
        assert_eq!(composed.source.matches("const A").count(), 1);
        assert!(composed.source.find("const A") < composed.source.find("const B"));
        let line = composed.source.lines().position(|l| l.contains("const C")).unwrap() as u32 + 1;
        assert_eq!(composed.origin(line), Some(("root", 3)));
        assert_eq!(composed.origin(0), None);
        assert_eq!(composed.origin(99), None);
    }

    #[test]
    fn unknown_modules_and_circles_are_named() {
        let unknown = compose(&[&[A]], ROOT).unwrap_err().to_string();
        assert!(unknown.contains("root, line 1: there is no module b"), "{unknown}");
        let ring = Module { name: "a", source: "\n#import b" };
        let circle = compose(&[&[ring, B]], ROOT).unwrap_err().to_string();
        assert!(circle.contains("in a circle"), "{circle}");
    }
}
