//! Nodes, elements and entities of versions 4.0 and 4.1.

use super::builder::{Builder, Element};
use super::elements::MAX_NODES;
use super::stream::{File, Numbers};
use super::v1_v2::{known_type, tag};
use crate::Result;
use crate::formats::numbers::in_item;

/// Counts at the head of `$Nodes` and `$Elements`.
struct Head {
    blocks: usize,
    total: usize,
}

fn head(numbers: &mut Numbers<'_>, version: f64, of: &str) -> Result<Head> {
    let blocks = numbers.count(&format!("the number of blocks of {of}"), true)?;
    let total = numbers.count(&format!("the number of {of}"), true)?;
    if version >= 4.1 {
        numbers.size("the smallest number")?;
        numbers.size("the largest number")?;
    }
    Ok(Head { blocks, total })
}

/// Reads dimension and tag of the entity that a block belongs to.
fn block_entity(numbers: &mut Numbers<'_>, version: f64) -> Result<(u8, i32)> {
    let first = tag(numbers)?;
    let second = tag(numbers)?;
    let (dimension, tag) = if version >= 4.1 { (first, second) } else { (second, first) };
    match u8::try_from(dimension) {
        Ok(d @ 0..=3) => Ok((d, tag)),
        _ => Err(numbers.error(format!("an entity cannot have dimension {dimension}"))),
    }
}

/// Fails when the blocks hold more or fewer items than the head announces.
fn check_total(numbers: &Numbers<'_>, of: &str, announced: usize, found: usize) -> Result<()> {
    if announced == found {
        return Ok(());
    }
    Err(numbers
        .error(format!("{announced} {of} are announced, but the blocks hold {found}"))
        .help("The file is damaged: export it again"))
}

/// Reads `$Nodes`.
pub(super) fn nodes(file: &mut File<'_>, version: f64, builder: &mut Builder) -> Result<()> {
    let mut numbers = file.numbers();
    let Head { blocks, total } = head(&mut numbers, version, "nodes")?;
    builder.reserve_nodes(total, &numbers);
    let before = builder.node_count();
    for _ in 0..blocks {
        let (dimension, _) = block_entity(&mut numbers, version)?;
        let parametric = numbers.int("the parametric flag")? != 0;
        let parameters = if parametric { dimension } else { 0 };
        let count = numbers.count("the number of nodes in a block", true)?;
        node_block(&mut numbers, version, count, parameters, builder)?;
    }
    check_total(&numbers, "nodes", total, builder.node_count() - before)?;
    file.resume(numbers);
    builder.has_nodes = true;
    file.end_section("$EndNodes")
}

/// Reads a block of nodes. Version 4.1 lists all numbers, then all coordinates; version 4.0 puts
/// them on one row.
fn node_block(
    numbers: &mut Numbers<'_>,
    version: f64,
    count: usize,
    parameters: u8,
    builder: &mut Builder,
) -> Result<()> {
    let separate = version >= 4.1;
    let mut tags = Vec::new();
    if separate {
        tags.reserve(numbers.capacity(count, 4));
        for i in 0..count {
            let number = numbers.size("a node number").map_err(|e| in_item("node", i, count, e))?;
            tags.push(number);
        }
    }
    for i in 0..count {
        let mut node = || -> Result<()> {
            let number = if separate { tags[i] } else { numbers.int("a node number")? };
            let point = numbers.point()?;
            for _ in 0..parameters {
                numbers.float("a parameter")?;
            }
            builder.add_node(number, point, numbers)
        };
        node().map_err(|e| in_item("node", i, count, e))?;
    }
    Ok(())
}

/// Reads `$Elements`.
pub(super) fn elements(file: &mut File<'_>, version: f64, builder: &mut Builder) -> Result<()> {
    let mut numbers = file.numbers();
    let Head { blocks, total } = head(&mut numbers, version, "elements")?;
    let mut found = 0;
    for _ in 0..blocks {
        let (dimension, entity) = block_entity(&mut numbers, version)?;
        let kind = known_type(&mut numbers)?;
        let count = numbers.count("the number of elements in a block", true)?;
        let physicals = builder.entity_physicals.get(&(dimension, entity)).cloned();
        let physicals = physicals.unwrap_or_default();
        let mut nodes = [0; MAX_NODES];
        let nodes = &mut nodes[..kind.nodes];
        for i in 0..count {
            let mut element = || -> Result<()> {
                let mut next = |what| {
                    if version >= 4.1 { numbers.size(what) } else { numbers.int(what) }
                };
                let number = next("an element number")?;
                for node in nodes.iter_mut() {
                    *node = next("a node number")?;
                }
                let physicals = &physicals[..];
                builder.add_element(&Element { kind, number, physicals, entity, nodes }, &numbers)
            };
            element().map_err(|e| in_item("element", i, count, e))?;
        }
        found += count;
    }
    check_total(&numbers, "elements", total, found)?;
    file.resume(numbers);
    builder.has_elements = true;
    file.end_section("$EndElements")
}

/// Reads `$Entities` for the physical groups that the entities belong to.
pub(super) fn entities(file: &mut File<'_>, version: f64, builder: &mut Builder) -> Result<()> {
    let mut numbers = file.numbers();
    entity_lists(&mut numbers, version, false, builder)?;
    file.resume(numbers);
    file.end_section("$EndEntities")
}

/// Reads `$PartitionedEntities`, the pieces into which entities were cut; elements of a partitioned
/// mesh belong to these.
pub(super) fn partitioned_entities(
    file: &mut File<'_>,
    version: f64,
    builder: &mut Builder,
) -> Result<()> {
    let mut numbers = file.numbers();
    numbers.count("the number of partitions", true)?;
    for _ in 0..numbers.count("the number of ghost entities", true)? {
        tag(&mut numbers)?;
        tag(&mut numbers)?;
    }
    entity_lists(&mut numbers, version, true, builder)?;
    file.resume(numbers);
    file.end_section("$EndPartitionedEntities")
}

fn entity_lists(
    numbers: &mut Numbers<'_>,
    version: f64,
    partitioned: bool,
    builder: &mut Builder,
) -> Result<()> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = numbers.count("the number of entities", true)?;
    }
    for (dimension, count) in (0u8..).zip(counts) {
        // A point has its coordinates, the others (and points of version 4.0) a bounding box.
        let coordinates = if dimension == 0 && version >= 4.1 { 3 } else { 6 };
        for i in 0..count {
            entity(numbers, dimension, coordinates, partitioned, builder)
                .map_err(|e| in_item("entity", i, count, e))?;
        }
    }
    Ok(())
}

fn entity(
    numbers: &mut Numbers<'_>,
    dimension: u8,
    coordinates: usize,
    partitioned: bool,
    builder: &mut Builder,
) -> Result<()> {
    let entity = tag(numbers)?;
    if partitioned {
        // Dimension and tag of the entity that was cut, and the partitions this piece is in.
        tag(numbers)?;
        tag(numbers)?;
        for _ in 0..numbers.count("the number of partitions", true)? {
            tag(numbers)?;
        }
    }
    for _ in 0..coordinates {
        numbers.float("a coordinate")?;
    }
    let mut physicals = Vec::new();
    for _ in 0..numbers.count("the number of physical groups", true)? {
        // A negative group means that the entity is turned round in it.
        physicals.push(tag(numbers)?.saturating_abs());
    }
    physicals.retain(|&tag| tag != 0);
    if dimension > 0 {
        for _ in 0..numbers.count("the number of bounding entities", true)? {
            tag(numbers)?;
        }
    }
    if !physicals.is_empty() {
        builder.entity_physicals.insert((dimension, entity), physicals);
    }
    Ok(())
}
