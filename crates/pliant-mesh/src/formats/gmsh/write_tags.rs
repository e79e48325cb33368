//! Groups as Gmsh 4.1 stores them: elements belong to entities, and entities to physical groups.
//!
//! A mesh knows no entities, so they are made here: elements that share their groups (and their
//! value of the array `entity`, if there is one) share an entity.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use crate::{DataArray, Domain, Group, Mesh};

/// Groups and entities of one dimension.
#[derive(Debug)]
pub(super) struct Tags<'a> {
    /// Physical tag of each group.
    pub groups: Vec<(i32, &'a Group)>,
    /// The entities in the order of their first element.
    pub entities: Vec<Entity>,
    /// For each point, triangle or tetrahedron its place in `entities`.
    pub entity_of: Vec<u32>,
}

/// Elements that share everything.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entity {
    pub tag: i32,
    pub physicals: Vec<i32>,
}

impl<'a> Tags<'a> {
    /// Tags for one kind of element, of which there are `count` with the arrays `arrays`.
    pub fn new(
        mesh: &'a Mesh,
        domain: Domain,
        count: usize,
        arrays: &[DataArray],
    ) -> io::Result<Self> {
        let groups: Vec<&Group> = mesh.groups.iter().filter(|g| g.domain == domain).collect();
        for group in &groups {
            if let Some(member) = group.members.iter().find(|m| **m as usize >= count) {
                let problem = format!("group {:?} has a member {member} of {count}", group.name);
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
        }
        let tags = group_tags(&groups, tag_values(arrays, "physical").as_deref());
        let groups: Vec<_> = tags.into_iter().zip(groups).collect();
        let wanted = tag_values(arrays, "entity");
        let (entities, entity_of) = make_entities(count, &groups, wanted.as_deref());
        Ok(Self { groups, entities, entity_of })
    }

    /// The array `physical` that a reader makes of these tags.
    pub fn physical_values(&self) -> impl Iterator<Item = f64> + '_ {
        let first = |e: &Entity| e.physicals.first().copied().unwrap_or(0);
        self.entity_of.iter().map(move |&e| first(&self.entities[e as usize]).into())
    }

    /// The array `entity` that a reader makes of these tags.
    pub fn entity_values(&self) -> impl Iterator<Item = f64> + '_ {
        self.entity_of.iter().map(|&e| self.entities[e as usize].tag.into())
    }
}

/// The values of a scalar array that can serve as tags: positive integers of 32 bits, else 0.
fn tag_values(arrays: &[DataArray], name: &str) -> Option<Vec<i32>> {
    let array = arrays.iter().find(|a| a.name == name && a.components == 1)?;
    let fits = |v: f64| v.fract() == 0.0 && (1.0..=f64::from(i32::MAX)).contains(&v);
    Some(array.values.iter().map(|&v| if fits(v) { v as i32 } else { 0 }).collect())
}

/// Gives each group a tag: the one its members carry in the array `physical` where that is clear,
/// so that numbers survive reading and writing, else the smallest that is free. Where groups
/// overlap that array names one of several and says nothing.
fn group_tags(groups: &[&Group], physical: Option<&[i32]>) -> Vec<i32> {
    let mut seen = HashSet::new();
    let disjoint = groups.iter().flat_map(|g| &g.members).all(|member| seen.insert(*member));
    let physical = physical.filter(|_| disjoint);
    let mut used = BTreeSet::new();
    let mut tags: Vec<Option<i32>> = Vec::with_capacity(groups.len());
    for group in groups {
        let from_members = physical.and_then(|values| {
            let first = values[*group.members.first()? as usize];
            group.members.iter().all(|&m| values[m as usize] == first).then_some(first)
        });
        let from_name = || group.name.strip_prefix("physical_")?.parse().ok();
        let wanted = from_members.or_else(from_name).filter(|&t| t > 0);
        tags.push(wanted.filter(|&t| used.insert(t)));
    }
    let mut free = 1..;
    let mut next = || free.find(|t| !used.contains(t)).unwrap_or(i32::MAX);
    tags.into_iter().map(|tag| tag.unwrap_or_else(&mut next)).collect()
}

/// Sorts elements into entities: starts from the wanted tags and splits by one group after the
/// other.
fn make_entities(
    count: usize,
    groups: &[(i32, &Group)],
    wanted: Option<&[i32]>,
) -> (Vec<Entity>, Vec<u32>) {
    let mut entities: Vec<Entity> = Vec::new();
    let mut by_tag = HashMap::new();
    let mut entity_of: Vec<u32> = (0..count)
        .map(|i| {
            let tag = wanted.map_or(0, |w| w[i]);
            *by_tag.entry(tag).or_insert_with(|| {
                entities.push(Entity { tag, physicals: Vec::new() });
                entities.len() as u32 - 1
            })
        })
        .collect();
    for (tag, group) in groups {
        let mut split = HashMap::new();
        let mut distinct = group.members.clone();
        distinct.sort_unstable();
        distinct.dedup();
        for member in distinct {
            let entity = &mut entity_of[member as usize];
            *entity = *split.entry(*entity).or_insert_with(|| {
                let mut inside = entities[*entity as usize].clone();
                inside.physicals.push(*tag);
                entities.push(inside);
                entities.len() as u32 - 1
            });
        }
    }
    renumber(&entities, &mut entity_of)
}

/// Drops entities without elements, orders the others by their first element and makes their tags
/// different.
fn renumber(entities: &[Entity], entity_of: &mut [u32]) -> (Vec<Entity>, Vec<u32>) {
    let mut kept: Vec<Entity> = Vec::new();
    let mut places = vec![u32::MAX; entities.len()];
    for entity in entity_of.iter_mut() {
        let place = &mut places[*entity as usize];
        if *place == u32::MAX {
            *place = kept.len() as u32;
            kept.push(entities[*entity as usize].clone());
        }
        *entity = *place;
    }
    let mut used = HashSet::new();
    for entity in &mut kept {
        if entity.tag != 0 && !used.insert(entity.tag) {
            entity.tag = 0;
        }
    }
    let mut free = 1..;
    for entity in kept.iter_mut().filter(|e| e.tag == 0) {
        entity.tag = free.find(|t| !used.contains(t)).unwrap_or(i32::MAX);
    }
    (kept, entity_of.to_vec())
}
