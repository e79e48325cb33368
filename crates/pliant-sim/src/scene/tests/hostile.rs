//! Texts made to break the reader: each must give an answer, and soon.

use proptest::prelude::*;

use super::*;

#[test]
fn deep_nesting_is_refused() {
    let deep = 100_000;
    for text in [
        format!("name = {}", "[".repeat(deep)),
        format!("name = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("name = {}", "{a=".repeat(deep)),
        format!("{}name = 1", "a.".repeat(deep)),
        format!("[{}name]", "a.".repeat(deep)),
    ] {
        assert!(read(&text).is_err());
    }
    let override_ = format!("world.gravity={}", "[".repeat(deep));
    assert!(Overrides::parse([override_]).is_err());
    assert!(Overrides::parse([format!("{}b=1", "a.".repeat(deep))]).is_err());
}

#[test]
fn huge_texts_are_refused_or_read() {
    assert!(
        read(&" ".repeat(document::MOST_BYTES + 1)).unwrap_err().to_string().contains("16 MiB")
    );
    let many = "[[bodies]]\nmesh='x'\n".repeat(100_000);
    let scene = read(&many).unwrap();
    assert_eq!(scene.bodies[99_999].name, "x-100000");
    let wrong = "[[bodies]]\nmesh='x'\nscale=-1\n".repeat(1000);
    let error = read(&wrong).unwrap_err();
    assert_eq!(error.problems.len() + error.more, 1000);
    assert!(error.to_string().ends_with("and 980 more problems"));
    let long_line = format!("name = '{}'\nwrold = 1", "x".repeat(1 << 20));
    assert!(read(&long_line).unwrap_err().to_string().len() < 1000);
    let long_key = format!("{} = 1", "x".repeat(1 << 20));
    let _ = read(&long_key).unwrap_err().to_string();
}

#[test]
fn counts_that_overflow_are_refused() {
    let most = u32::MAX;
    let text = format!(
        "[[bodies]]\nshape = {{ kind = 'bar', cells = [{most}, {most}, {most}], size = [1, 1, 1] }}
        copies = {{ count = [{most}, {most}, {most}], spacing = [1, 1, 1] }}"
    );
    let error = read(&text).unwrap_err().to_string();
    assert!(error.contains("elements, more than") && error.contains("bodies with"), "{error}");
    for number in ["1e400", "99999999999999999999", "-1", "0x_", "1e-400"] {
        assert!(read(&format!("{BAR}[world]\ntimestep = {number}")).is_err(), "{number}");
    }
}

#[test]
fn marks_fall_on_whole_characters() {
    let text = "name = 'é'\n['ωorld']\n  'ключ' = '値'\r\n";
    let error = read(text).unwrap_err();
    assert_eq!(error.problems[0].line, Some(2));
    let text = format!("{BAR}[world]\ndamping = 'é値'  # ü\r\n");
    let problem = read(&text).unwrap_err().problems.remove(0);
    assert_eq!((problem.line, problem.column), (Some(5), Some(11)));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = read(&text).map_err(|e| e.to_string());
    }

    #[test]
    fn no_toml_like_text_panics(
        text in "(\\[\\[?(world|bodies|colliders|actions)\\]?\\]\n|(box|shape|mass|kind|locks|mesh|end|motion|heights) ?= ?(\\{|\\[|1|'a'|\"é|\\}|\\]|-inf)+,?\n?){0,8}"
    ) {
        let _ = read(&text).map_err(|e| e.to_string());
    }

    #[test]
    fn no_override_panics(
        path in "(world|bodies|box|shape|mass|\\[0\\]|\\[9\\]|\\.|\"|é|material){0,6}",
        value in "(\\{|\\[|1|a|=|\"é|\\}|\\]|,|-inf){0,6}",
    ) {
        if let Ok(overrides) = Overrides::parse([format!("{path}={value}")]) {
            let _ = Scene::from_toml_with(BAR, "s", &overrides).map_err(|e| e.to_string());
        }
    }
}
