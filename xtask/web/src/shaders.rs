//! Kernels without their comments.
//!
//! The text of all kernels is part of the module, comments and all, and nobody reads those there. They are overwritten
//! with spaces, which weigh next to nothing as sent: everything stays in its place, and so do the line numbers of messages.

use std::path::Path;

use crate::paths;

/// Blanks the comments of all kernels in the module at `path`.
pub fn strip(path: &Path) -> Result<(), String> {
    let fail = |problem: std::io::Error| format!("{}: {problem}", path.display());
    let mut module = std::fs::read(path).map_err(fail)?;
    let mut sources = Vec::new();
    collect(&paths::root().join("crates"), &mut sources)?;
    let found = sources.iter().filter(|source| blank(&mut module, source)).count();
    // Most of them: tests have some of their own.
    if 2 * found < sources.len() {
        return Err(format!("only {found} of {} kernels are in the module", sources.len()));
    }
    std::fs::write(path, module).map_err(fail)
}

/// The texts of all kernels below a folder.
fn collect(folder: &Path, sources: &mut Vec<Vec<u8>>) -> Result<(), String> {
    let fail = |problem: std::io::Error| format!("{}: {problem}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            collect(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            sources.push(std::fs::read(&path).map_err(fail)?);
        }
    }
    Ok(())
}

/// Blanks the comments of one kernel; says whether the module has it.
fn blank(module: &mut [u8], source: &[u8]) -> bool {
    let Some(start) = module.windows(source.len()).position(|text| text == source) else {
        return false;
    };
    for line in module[start..start + source.len()].split_mut(|&byte| byte == b'\n') {
        if let Some(comment) = line.windows(2).position(|two| two == b"//") {
            line[comment..].fill(b' ');
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_all_else_stays() {
        let source = b"// A kernel.\nfn a() { // here\n    return; /// x\n}\n";
        let mut module = [b"before // stays\n", &source[..], b"// after"].concat();
        let length = module.len();
        assert!(blank(&mut module, source));
        assert_eq!(module.len(), length);
        let text = String::from_utf8(module).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let wanted = ["before // stays", "", "fn a() {", "    return;", "}", "// after"];
        assert_eq!(lines, wanted);
        assert!(!blank(&mut b"nothing".to_vec(), source));
    }
}
