//! Nodes and elements of versions 1 and 2.

use super::builder::{Builder, Element};
use super::elements::{ElementType, MAX_NODES, element_type};
use super::stream::{Encoding, File, Numbers};
use crate::Result;
use crate::formats::numbers::in_item;

/// Reads nodes: a count, then `number x y z` each.
pub(super) fn nodes(file: &mut File<'_>, end: &str, builder: &mut Builder) -> Result<()> {
    let parametric = end == "$EndParametricNodes";
    let count = text_count(file, "the number of nodes")?;
    let mut numbers = file.numbers();
    builder.reserve_nodes(count, &numbers);
    for i in 0..count {
        let mut node = || -> Result<()> {
            let number = numbers.int("a node number")?;
            let point = numbers.point()?;
            if parametric {
                skip_parameters(&mut numbers)?;
            }
            builder.add_node(number, point, &numbers)
        };
        node().map_err(|e| in_item("node", i, count, e))?;
    }
    file.resume(numbers);
    builder.has_nodes = true;
    file.end_section(end)
}

/// Passes over what a node of `$ParametricNodes` has behind its coordinates: the dimension and tag
/// of its entity and the parameters on a curve or surface.
fn skip_parameters(numbers: &mut Numbers<'_>) -> Result<()> {
    let dimension = numbers.int("the dimension of an entity")?;
    tag(numbers)?;
    for _ in 0..if dimension == 1 || dimension == 2 { dimension } else { 0 } {
        numbers.float("a parameter")?;
    }
    Ok(())
}

/// Reads the elements of version 1: `number type physical entity node-count nodes…` each.
pub(super) fn elements_v1(file: &mut File<'_>, builder: &mut Builder) -> Result<()> {
    let count = text_count(file, "the number of elements")?;
    let mut numbers = file.numbers();
    for i in 0..count {
        let mut element = || -> Result<()> {
            let number = numbers.int("an element number")?;
            let kind = known_type(&mut numbers)?;
            let physical = tag(&mut numbers)?.saturating_abs();
            let entity = tag(&mut numbers)?;
            let listed = numbers.int("a node count")?;
            if listed != kind.nodes as i64 {
                let problem = format!("lists {listed} nodes, but its type has {}", kind.nodes);
                return Err(numbers.error(problem));
            }
            add(&mut numbers, kind, number, [physical, entity], builder)
        };
        element().map_err(|e| in_item("element", i, count, e))?;
    }
    file.resume(numbers);
    builder.has_elements = true;
    file.end_section("$ENDELM")
}

/// Reads the elements of version 2. As text: `number type tag-count tags… nodes…` each; as binary:
/// blocks `type count tag-count` of elements `number tags… nodes…`.
pub(super) fn elements_v2(file: &mut File<'_>, builder: &mut Builder) -> Result<()> {
    let count = text_count(file, "the number of elements")?;
    let mut numbers = file.numbers();
    let binary = file.encoding != Encoding::Text;
    let mut done = 0;
    while done < count {
        let mut block = || -> Result<()> {
            if !binary {
                let number = numbers.int("an element number")?;
                let kind = known_type(&mut numbers)?;
                let tag_count = numbers.count("the number of tags", false)?;
                return tagged(&mut numbers, kind, number, tag_count, builder);
            }
            let kind = known_type(&mut numbers)?;
            let block = numbers.count("the number of elements in a block", false)?;
            let tag_count = numbers.count("the number of tags", false)?;
            if block == 0 || block > count - done {
                let left = count - done;
                return Err(numbers.error(format!("a block of {block} where {left} are left")));
            }
            for _ in 0..block {
                let number = numbers.int("an element number")?;
                tagged(&mut numbers, kind, number, tag_count, builder)?;
                done += 1;
            }
            // The element that the caller counts.
            done -= 1;
            Ok(())
        };
        block().map_err(|e| in_item("element", done, count, e))?;
        done += 1;
    }
    file.resume(numbers);
    builder.has_elements = true;
    file.end_section("$EndElements")
}

/// Reads the tags and nodes of an element of version 2; the first two tags are the physical group
/// and the entity.
fn tagged(
    numbers: &mut Numbers<'_>,
    kind: ElementType,
    number: i64,
    tag_count: usize,
    builder: &mut Builder,
) -> Result<()> {
    let mut tags = [0; 2];
    for k in 0..tag_count {
        let value = tag(numbers)?;
        if let Some(kept) = tags.get_mut(k) {
            *kept = value;
        }
    }
    // A negative group means that the element is turned round in it.
    add(numbers, kind, number, [tags[0].saturating_abs(), tags[1]], builder)
}

/// Reads the nodes of an element and adds it.
fn add(
    numbers: &mut Numbers<'_>,
    kind: ElementType,
    number: i64,
    [physical, entity]: [i32; 2],
    builder: &mut Builder,
) -> Result<()> {
    let mut nodes = [0; MAX_NODES];
    let nodes = &mut nodes[..kind.nodes];
    for node in nodes.iter_mut() {
        *node = numbers.int("a node number")?;
    }
    let groups = [physical];
    let physicals = if physical == 0 { &[] } else { &groups[..] };
    builder.add_element(&Element { kind, number, physicals, entity, nodes }, numbers)
}

/// Reads the count at a section's head, which is text in binary files too.
fn text_count(file: &mut File<'_>, what: &str) -> Result<usize> {
    let count = crate::formats::numbers::checked_count(&mut file.scanner, what)?;
    if file.encoding != Encoding::Text {
        file.scanner.next_line();
    }
    Ok(count)
}

/// Reads a type number. One that is not known ends the reading: without its node count nobody can
/// tell where the next element begins.
pub(super) fn known_type(numbers: &mut Numbers<'_>) -> Result<ElementType> {
    let number = numbers.int("an element type")?;
    element_type(number).ok_or_else(|| {
        numbers
            .error(format!("element type {number} is not known"))
            .help("Export the mesh with elements of first or second order only")
    })
}

/// Reads a tag.
pub(super) fn tag(numbers: &mut Numbers<'_>) -> Result<i32> {
    let value = numbers.int("a tag")?;
    i32::try_from(value).map_err(|_| numbers.error(format!("the tag {value} is out of range")))
}
