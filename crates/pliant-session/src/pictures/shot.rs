//! Where the camera stands. It does not move, so it must see the bodies where they are at the start and
//! where they will go: down to the floor, along their velocity, and to where hands drag them.

use std::ops::Range;

use pliant_render::{Bounds, Camera};
use pliant_sim::Simulator;
use pliant_sim::model::BodyModel;
use pliant_sim::scene::{ActionKind, CarryMotion, DragMotion, Picture, PictureCamera};

use super::colliders;

/// How far ahead to look where a run has no end \[s\].
const AHEAD: f64 = 2.0;
/// How far a free body may leave its place where no wall stops it, in sizes of the scene.
const FARTHEST: f64 = 1.5;
/// How far a held body sags, and half of it how far it swings up, in sizes.
const SAG: f64 = 0.25;
/// How much bodies spread sideways when they land, in sizes.
const SPREAD: f64 = 0.1;

/// How often it is looked in a run where a collider is.
const LOOKS: u32 = 32;

/// Width of a legend, in heights of the picture.
const LEGEND: f64 = 0.27;

/// The camera that `picture` asks for, for a run.
pub fn camera(sim: &Simulator, picture: &Picture) -> Camera {
    let nothing = Bounds { min: [-1.0; 3], max: [1.0; 3] };
    framing(bounds_to_show(sim).unwrap_or(nothing), picture)
}

/// A camera on `bounds`, unless `picture` says otherwise. A legend gets its place beside them.
pub fn framing(bounds: Bounds, picture: &Picture) -> Camera {
    let wish = &picture.camera;
    if let Some(camera) = placed(wish) {
        return camera;
    }
    let [width, height] = picture.size.map(f64::from);
    let aspect = width / height;
    let has_legend = picture.colour.has_values() || picture.volume.is_some();
    let legend = if has_legend { LEGEND.min(0.4 * aspect) } else { 0.0 };
    let mut camera = Camera {
        eye: wish.direction,
        target: [0.0; 3],
        up: wish.up,
        field_of_view: wish.field_of_view.to_radians(),
    };
    camera.fit(bounds, aspect - legend);
    if wish.target.is_none() {
        camera.pan(-0.5 * legend, 0.0);
    }
    if let Some(target) = wish.target {
        let shift: [f64; 3] = std::array::from_fn(|k| target[k] - camera.target[k]);
        camera.eye = std::array::from_fn(|k| camera.eye[k] + shift[k]);
        camera.target = target;
    }
    if let Some(distance) = wish.distance {
        camera.zoom(camera.distance() / distance);
    }
    camera
}

/// The camera that `wish` describes, if it says wholly where that stands.
pub fn placed(wish: &PictureCamera) -> Option<Camera> {
    let (target, distance) = (wish.target?, wish.distance?);
    // Any length will do, also one whose square is no number.
    let largest = wish.direction.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    let direction = wish.direction.map(|c| c / largest);
    let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
    let eye: [f64; 3] = std::array::from_fn(|k| target[k] + direction[k] * (distance / length));
    let field_of_view = wish.field_of_view.to_radians();
    let is_somewhere = eye != target && eye.iter().all(|c| c.is_finite());
    is_somewhere.then_some(Camera { eye, target, up: wish.up, field_of_view })
}

/// The box round all bodies at the start \[m\].
pub fn start_bounds(sim: &Simulator) -> Option<Bounds> {
    let all = sim.model().bodies.iter().filter_map(|b| body_bounds(sim, b));
    all.reduce(Bounds::union)
}

/// The box round all that pictures of a run should show \[m\]: bodies, and colliders that have an end.
pub fn bounds_to_show(sim: &Simulator) -> Option<Bounds> {
    let here = collided(sim, 0.0).chain(start_bounds(sim)).reduce(Bounds::union)?;
    let there = collided(sim, farthest(here)).chain(expected_bounds(sim));
    there.reduce(Bounds::union)
}

/// How far what moves is followed \[m\].
fn farthest(start: Bounds) -> f64 {
    FARTHEST * 2.0 * start.radius()
}

/// The box round all places where bodies are likely to be in a run \[m\].
pub fn expected_bounds(sim: &Simulator) -> Option<Bounds> {
    let reach = farthest(start_bounds(sim)?);
    let expected = sim.model().bodies.iter().filter_map(|body| {
        let here = body_bounds(sim, body)?;
        let there = |way| limited(sim, shifted(here, way));
        Some(match sag(sim, body) {
            Some(down) => here.union(there(down)).union(there(down.map(|c| -0.5 * c))),
            None => here.union(there(flight(sim, body, reach))),
        })
    });
    expected.chain(dragged(sim, reach)).reduce(Bounds::union)
}

/// How a body sags that is held somewhere; nothing if it is free.
fn sag(sim: &Simulator, body: &BodyModel) -> Option<[f64; 3]> {
    let g = sim.world().gravity;
    let size = g.iter().map(|c| c * c).sum::<f64>().sqrt();
    let is_held = sim.model().inv_mass[indices(body)].contains(&0.0);
    is_held.then(|| g.map(|c| if size > 0.0 { SAG * body.size * c / size } else { 0.0 }))
}

/// Where a free body goes: it falls or flies as long as the run lasts.
fn flight(sim: &Simulator, body: &BodyModel, reach: f64) -> [f64; 3] {
    let g = sim.world().gravity;
    let time = duration(sim);
    let v = mean(&sim.model().start_velocity, indices(body));
    let way: [f64; 3] = std::array::from_fn(|k| v[k] * time + 0.5 * g[k] * time * time);
    let length = way.iter().map(|c| c * c).sum::<f64>().sqrt();
    let is_walled = sim.world().bounds.is_some();
    let part = if is_walled || length <= reach { 1.0 } else { reach / length };
    way.map(|c| c * part)
}

/// How long the run lasts, as far as it is known \[s\].
fn duration(sim: &Simulator) -> f64 {
    let (plan, dt) = (&sim.scene().run, sim.world().timestep);
    plan.step_count(dt).map_or(AHEAD, |steps| steps as f64 * dt).min(1e3)
}

/// Moves a box, and widens it sideways by what bodies spread when they land.
fn shifted(bounds: Bounds, way: [f64; 3]) -> Bounds {
    let spread = SPREAD * 2.0 * bounds.radius();
    let wider = [spread, spread, 0.0];
    Bounds {
        min: std::array::from_fn(|k| bounds.min[k] + way[k] - wider[k]),
        max: std::array::from_fn(|k| bounds.max[k] + way[k] + wider[k]),
    }
}

/// Moves a box back between the walls; what is too large for them is cut off.
fn limited(sim: &Simulator, bounds: Bounds) -> Bounds {
    let Some(walls) = &sim.world().bounds else { return bounds };
    let [low, high] = walls.corners();
    let mut moved = bounds;
    for k in 0..3 {
        let back = (low[k] - bounds.min[k]).max(0.0) - (bounds.max[k] - high[k]).max(0.0);
        moved.min[k] = (bounds.min[k] + back).clamp(low[k], high[k]);
        moved.max[k] = (bounds.max[k] + back).clamp(low[k], high[k]);
    }
    moved
}

/// The places that hands lead to, unless they are very far.
fn dragged(sim: &Simulator, reach: f64) -> impl Iterator<Item = Bounds> {
    let end = duration(sim);
    sim.scene().actions.iter().filter_map(move |action| {
        let ActionKind::Drag(drag) = &action.kind else { return None };
        let time = (action.end.unwrap_or(end).min(end) - action.start).max(0.0);
        let way: [f64; 3] = match drag.motion {
            DragMotion::Velocity(v) => v.map(|c| c * time),
            DragMotion::Target(target) => std::array::from_fn(|k| target[k] - drag.center[k]),
        };
        let length = way.iter().map(|c| c * c).sum::<f64>().sqrt();
        let at = std::array::from_fn(|k| drag.center[k] + way[k]);
        (length <= reach).then_some(Bounds { min: at, max: at })
    })
}

/// The places of colliders, unless they go very far. Planes are everywhere.
fn collided(sim: &Simulator, reach: f64) -> impl Iterator<Item = Bounds> {
    let end = duration(sim);
    sim.scene().colliders.iter().enumerate().flat_map(move |(i, collider)| {
        let given = sim.model().given.iter().find(|given| given.collider == i);
        let deforming = given.filter(|given| given.deforms());
        let own =
            colliders::own_bounds(collider).or_else(|| Bounds::of(given?.points.iter().copied()));
        let start = collider.pose(0.0).translation;
        let poses = (0..=LOOKS).map(move |i| collider.pose(end * f64::from(i) / f64::from(LOOKS)));
        let is_near = move |at: [f64; 3]| {
            let way = (0..3).map(|k| (at[k] - start[k]).powi(2)).sum::<f64>();
            way.sqrt() <= reach
        };
        let carried = carried(sim, &collider.name).map(move |by| collider.pose(end).shifted(by));
        let near = poses.chain(carried).filter(move |pose| is_near(pose.translation));
        let rigid = near.filter_map(move |pose| colliders::placed(own?, &pose));
        let times = (0..=LOOKS).map(move |i| end * f64::from(i) / f64::from(LOOKS));
        let shapes = deforming.into_iter().flat_map(move |given| {
            times.clone().filter_map(|time| Bounds::of(given.points_at(time)))
        });
        rigid.chain(shapes)
    })
}

/// How far hands have carried a collider after each action that does.
fn carried(sim: &Simulator, name: &str) -> impl Iterator<Item = [f64; 3]> {
    let end = duration(sim);
    let mut sum = [0.0; 3];
    sim.scene().actions.iter().filter_map(move |action| {
        let ActionKind::Carry(carry) = &action.kind else { return None };
        let time = (action.end.unwrap_or(end).min(end) - action.start).max(0.0);
        let way = match carry.motion {
            CarryMotion::Velocity(v) => v.map(|c| c * time),
            CarryMotion::By(way) => way,
        };
        if carry.collider != name {
            return None;
        }
        sum = std::array::from_fn(|k| sum[k] + way[k]);
        Some(sum)
    })
}

fn body_bounds(sim: &Simulator, body: &BodyModel) -> Option<Bounds> {
    let points = sim.model().rest[indices(body)].iter();
    let points = points.map(|p| std::array::from_fn(|k| body.origin[k] + f64::from(p[k])));
    points.map(|p| Bounds { min: p, max: p }).reduce(Bounds::union)
}

fn indices(body: &BodyModel) -> Range<usize> {
    body.vertices.start as usize..body.vertices.end as usize
}

fn mean(vectors: &[[f32; 3]], indices: Range<usize>) -> [f64; 3] {
    let count = indices.len().max(1) as f64;
    let sum = |k: usize| vectors[indices.clone()].iter().map(|v| f64::from(v[k])).sum::<f64>();
    std::array::from_fn(|k| sum(k) / count)
}
