//! Physical names, `$NodeData` and `$ElementData`.

use super::builder::Builder;
use super::numbering::Numbering;
use super::stream::{File, Numbers};
use crate::formats::numbers::in_item;
use crate::text::show;
use crate::{DataArray, Result};

/// More components than any tensor has: such a number is damage.
const MAX_COMPONENTS: i64 = 1024;

/// One data section.
#[derive(Debug)]
pub(super) struct Data {
    name: String,
    step: i64,
    components: usize,
    /// Numbers of the nodes or elements, one per tuple.
    numbers: Vec<i64>,
    values: Vec<f64>,
}

/// Reads `$PhysicalNames`, which is text in binary files too.
pub(super) fn physical_names(file: &mut File<'_>, builder: &mut Builder) -> Result<()> {
    let scanner = &mut file.scanner;
    let count = scanner.count("the number of physical names")?;
    for _ in 0..count {
        let dimension = scanner.integer("the dimension of a physical group")?;
        let tag = scanner.integer("the tag of a physical group")?;
        let (Ok(dimension @ 0..=3), Ok(tag)) = (u8::try_from(dimension), i32::try_from(tag)) else {
            return Err(scanner.error(format!("no physical group can be {dimension} {tag}")));
        };
        let name = unquoted(scanner.rest_of_line());
        builder.physical_names.insert((dimension, tag.saturating_abs()), name);
    }
    file.end_section("$EndPhysicalNames")
}

fn unquoted(text: &[u8]) -> String {
    let inner = text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")).unwrap_or(text);
    String::from_utf8_lossy(inner).into_owned()
}

/// Reads a `$NodeData` or `$ElementData` section.
pub(super) fn section(file: &mut File<'_>, kind: &str) -> Result<Data> {
    let (name, [step, components, count]) = read_head(file)?;
    let mut numbers = file.numbers();
    if !(1..=MAX_COMPONENTS).contains(&components) {
        return Err(numbers.error(format!("{name:?} has {components} components per tuple")));
    }
    let Ok(count) = u32::try_from(count).map(|n| n as usize) else {
        return Err(numbers.error(format!("{name:?} cannot have {count} tuples")));
    };
    let components = components as usize;
    let room = numbers.capacity(count, 1 + components);
    let mut data = Data {
        name,
        step,
        components,
        numbers: Vec::with_capacity(room),
        values: Vec::with_capacity(room * components),
    };
    for i in 0..count {
        read_tuple(&mut numbers, &mut data).map_err(|e| in_item("tuple", i, count, e))?;
    }
    file.resume(numbers);
    file.end_section(&format!("$End{kind}"))?;
    Ok(data)
}

fn read_tuple(numbers: &mut Numbers<'_>, data: &mut Data) -> Result<()> {
    data.numbers.push(numbers.int("a number")?);
    for _ in 0..data.components {
        data.values.push(numbers.float("a value")?);
    }
    Ok(())
}

/// Reads the tags, which are text in binary files too: the first string is the name, the first
/// integers are time step, components and count.
fn read_head(file: &mut File<'_>) -> Result<(String, [i64; 3])> {
    let scanner = &mut file.scanner;
    let strings = scanner.count("the number of string tags")?;
    scanner.next_line();
    let mut name = String::from("data");
    for i in 0..strings {
        if scanner.at_end() {
            return Err(scanner.error("the file ends where a string tag should stand"));
        }
        let text = scanner.rest_of_line();
        if i == 0 {
            name = unquoted(text);
        }
    }
    for _ in 0..scanner.count("the number of real tags")? {
        scanner.number("a real tag")?;
    }
    let integers = scanner.count("the number of integer tags")?;
    if integers < 3 {
        let problem = format!("{} has {integers} integer tags", show(name.as_bytes()));
        return Err(scanner.error(problem).help("Time step, components and count are needed"));
    }
    let mut tags = [0; 3];
    for i in 0..integers {
        let tag = scanner.integer("an integer tag")?;
        if let Some(kept) = tags.get_mut(i) {
            *kept = tag;
        }
    }
    if file.encoding != super::Encoding::Text {
        file.scanner.next_line();
    }
    Ok((name, tags))
}

/// Joins sections that hold parts of one array (partitions) and gives later time steps of an array
/// names of their own.
fn joined(sections: Vec<Data>) -> Vec<Data> {
    let mut result: Vec<Data> = Vec::new();
    for mut data in sections {
        let first = result.iter().find(|d| d.name == data.name);
        if first.is_some_and(|d| d.step != data.step) {
            data.name = format!("{} (step {})", data.name, data.step);
        }
        let fits = |d: &&mut Data| d.name == data.name && d.components == data.components;
        if let Some(part) = result.iter_mut().find(fits) {
            part.numbers.append(&mut data.numbers);
            part.values.append(&mut data.values);
        } else {
            result.push(data);
        }
    }
    result
}

/// Makes point arrays.
pub(super) fn attach_point_data(
    sections: Vec<Data>,
    nodes: &Numbering,
    count: usize,
    warnings: &mut Vec<String>,
) -> Vec<DataArray> {
    let array = |data: Data| {
        let mut values = vec![f64::NAN; count * data.components];
        let mut given = vec![false; count];
        let mut lost = 0;
        for (i, &number) in data.numbers.iter().enumerate() {
            let Some(point) = nodes.index(number).map(|p| p as usize) else {
                lost += 1;
                continue;
            };
            given[point] = true;
            let tuple = &data.values[i * data.components..][..data.components];
            values[point * data.components..][..data.components].copy_from_slice(tuple);
        }
        let missing = given.iter().filter(|g| !**g).count();
        warn_about(&data.name, missing, "points", lost, warnings);
        DataArray { name: data.name, components: data.components, values }
    };
    joined(sections).into_iter().map(array).collect()
}

/// Makes arrays for the tetrahedra and the triangles, given the element number of each; an array
/// that has no value, or only NaN, for all of the one or the other is left out there: writers that
/// must list every element fill with NaN.
pub(super) fn attach_element_data(
    sections: Vec<Data>,
    numbers: [Vec<i64>; 2],
    warnings: &mut Vec<String>,
) -> [Vec<DataArray>; 2] {
    let mut arrays = [Vec::new(), Vec::new()];
    for data in joined(sections) {
        let mut tuples = Numbering::default();
        for &number in &data.numbers {
            tuples.add(number);
        }
        for (side, of) in [(0, "tetrahedra"), (1, "triangles")] {
            let mut missing = 0;
            let mut values = Vec::with_capacity(numbers[side].len() * data.components);
            for &number in &numbers[side] {
                if let Some(i) = tuples.index(number) {
                    values.extend(&data.values[i as usize * data.components..][..data.components]);
                } else {
                    missing += 1;
                    values.extend(std::iter::repeat_n(f64::NAN, data.components));
                }
            }
            if !values.iter().all(|v| v.is_nan()) {
                warn_about(&data.name, missing, of, 0, warnings);
                let (name, components) = (data.name.clone(), data.components);
                arrays[side].push(DataArray { name, components, values });
            }
        }
    }
    arrays
}

fn warn_about(name: &str, missing: usize, of: &str, lost: usize, warnings: &mut Vec<String>) {
    if missing > 0 {
        warnings.push(format!("array {name:?} has no values for {missing} {of}; they hold NaN"));
    }
    if lost > 0 {
        warnings.push(format!("{lost} tuples of array {name:?} belong to no node; left out"));
    }
}
