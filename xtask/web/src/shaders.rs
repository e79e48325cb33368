//! Kernels without what only people read.
//!
//! The text of all kernels is part of the module, comments and indentation and all, and nobody reads those there. What is
//! left without them begins where the text did and keeps its lines, so that the numbers in messages stay right; the rest is
//! filled with spaces, which weigh next to nothing as sent.

use std::path::Path;

use crate::paths;

/// Takes the comments and the indentation out of all kernels in the module at `path`.
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

/// Takes them out of one kernel; says whether the module has it.
fn blank(module: &mut [u8], source: &[u8]) -> bool {
    let Some(start) = module.windows(source.len()).position(|text| text == source) else {
        return false;
    };
    let text = &mut module[start..start + source.len()];
    let mut length = 0;
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        let comment = line.windows(2).position(|two| two == b"//");
        let kept = line[..comment.unwrap_or(line.len())].trim_ascii();
        text[length..length + kept.len()].copy_from_slice(kept);
        length += kept.len();
        if line.ends_with(b"\n") {
            text[length] = b'\n';
            length += 1;
        }
    }
    text[length..].fill(b' ');
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_lines_stay() {
        let source = b"// A kernel.\nfn a() { // here\n    return; /// x\n}\n";
        let mut module = [b"before // stays\n", &source[..], b"// after"].concat();
        let length = module.len();
        assert!(blank(&mut module, source));
        assert_eq!(module.len(), length);
        let text = String::from_utf8(module).unwrap();
        assert!(text.lines().nth(3) == Some("return;"), "{text}");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let wanted = ["before // stays", "", "fn a() {", "return;", "}", "// after"];
        assert_eq!(lines, wanted);
        assert!(!blank(&mut b"nothing".to_vec(), source));
    }
}
