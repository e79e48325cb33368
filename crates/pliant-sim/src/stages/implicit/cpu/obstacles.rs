//! Colliders and walls in implicit steps: which vertices they hold, before and after a system is solved.
//!
//! Vertices that are held are kept in a list for each block, and what holds them in the vectors of the system, as the
//! projection on what is free. A vertex meets an obstacle where its way, seen from that, first comes to the surface;
//! once the system is solved, the plane is put where the vertex ends. Nothing is kept from step to step.

use super::begin::add_to_own;
use super::contact::inertia;
use super::pairs::vector;
use super::search::{MOST_FRICTION_UPDATES, MOST_RELEASES};
use super::solve::{ImplicitStep, Scalar, SolverJob};
use super::vectors::lane;
use crate::math::Vec3;
use crate::scene::Collider;
use crate::stages::colliders::cpu::{Seen, bits};
use crate::stages::colliders::formula::{Kind, SKIN, Surface};
use crate::stages::colliders::{WALLS, note};
use crate::stages::cpu::slots::Run;
use crate::stages::implicit::contact::{Contact, STICKS};
use crate::stages::implicit::planes::{Plane, Planes, Symmetric, add_scaled, times};
use crate::stages::walls::Walls;

/// The part of what a vertex is inside an obstacle when a step begins that it makes up for in a step.
const RECOVERY: f32 = 0.5;
/// How often planes follow the surface of a round obstacle while a system is solved, and how far from it a vertex
/// may end before they do, over the length of its way.
const MOST_TURNS: u32 = 6;
const OFF_SURFACE: f32 = 1e-3;
/// The cosine above which two normals of the same obstacle are those of the same place.
const SAME_SIDE: f32 = 0.8;
/// The number of the first wall among obstacles; colliders come before.
const FIRST_WALL: u8 = Collider::MOST as u8;

/// A vertex that obstacles hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    slot: u32,
    planes: Planes,
    /// Its friction.
    contact: Contact,
}

impl Held {
    /// P, of what is left if it does not stick.
    fn free(&self) -> Symmetric<f32> {
        if self.contact.bits & STICKS != 0 { Symmetric::default() } else { self.planes.free() }
    }

    fn has_friction(&self) -> bool {
        self.planes.list().iter().any(|plane| plane.friction > 0.0)
    }

    /// How fast it is along the surface at the velocity `base`, and when the step ends.
    fn speeds(&self, base: Vec3<f32>, end: Vec3<f32>) -> [f32; 2] {
        let (free, rest) = (self.planes.free(), self.planes.rest());
        [base, end].map(|v| (times(&free, v) - rest).length())
    }
}

/// What a body may meet in a step.
struct Obstacles<'a> {
    seen: Seen<'a>,
    colliders: u64,
    walls: Option<&'a Walls<f32>>,
}

impl Obstacles<'_> {
    fn is_empty(&self) -> bool {
        self.colliders == 0 && self.walls.is_none()
    }

    fn numbers(&self) -> impl Iterator<Item = u8> + use<> {
        let walls = if self.walls.is_some() { 6 } else { 0 };
        bits(self.colliders).map(|k| k as u8).chain(FIRST_WALL..FIRST_WALL + walls)
    }

    /// How the surface of an obstacle moves in the step that begins it at `x` \[m\].
    fn way(&self, number: u8, x: Vec3<f32>) -> Vec3<f32> {
        match number < FIRST_WALL {
            true => self.seen.way(usize::from(number), x),
            false => Vec3::zero(),
        }
    }

    fn surface(&self, number: u8, x: Vec3<f32>) -> Surface<f32> {
        let Some(wall) = number.checked_sub(FIRST_WALL).map(usize::from) else {
            return self.seen.surface(usize::from(number), x);
        };
        let (k, is_upper) = (wall % 3, wall >= 3);
        let bound = |walls: &Walls<f32>| {
            let at: [f32; 3] = if is_upper { walls.high } else { walls.low }.into();
            at[k]
        };
        let x: [f32; 3] = x.into();
        let side = if is_upper { -1.0 } else { 1.0 };
        let gap = self.walls.map_or(f32::INFINITY, |walls| side * (x[k] - bound(walls)));
        let mut normal = [0.0; 3];
        normal[k] = side;
        Surface { gap, normal: normal.into() }
    }

    /// How near to an obstacle a vertex touches it \[m\].
    fn skin(&self, number: u8, x: Vec3<f32>) -> f32 {
        match number < FIRST_WALL {
            true => self.seen.skin(usize::from(number), x),
            false => SKIN as f32 * (x.x.abs() + x.y.abs() + x.z.abs()),
        }
    }

    fn meets(&self, number: u8, from: Vec3<f32>, to: Vec3<f32>) -> Option<Vec3<f32>> {
        match number < FIRST_WALL {
            true => self.seen.meets(usize::from(number), from, to),
            false => (self.surface(number, to).gap < 0.0).then_some(to),
        }
    }

    /// Whether one plane is all of its surface.
    fn is_flat(&self, number: u8) -> bool {
        number >= FIRST_WALL || self.seen.placed(number.into()).shape.kind == Kind::Plane
    }

    /// Friction and restitution.
    fn law(&self, number: u8) -> [f32; 2] {
        match (number < FIRST_WALL, self.walls) {
            (true, _) => {
                let placed = self.seen.placed(number.into());
                [placed.friction, placed.restitution]
            }
            (false, Some(walls)) => [walls.friction, walls.restitution],
            (false, None) => [0.0; 2],
        }
    }
}

/// A vertex in a step.
struct Vertex {
    /// Where the step begins \[m\], and what rounding took from it.
    x: Vec3<f32>,
    lost: Vec3<f32>,
    /// The velocity at which it begins \[m/s\].
    before: Vec3<f32>,
    /// The velocity to which Δv is added, and Δv \[m/s\].
    base: Vec3<f32>,
    delta: Vec3<f32>,
    right: Vec3<f32>,
    h: f32,
}

impl Vertex {
    /// The velocity when the step ends.
    fn end(&self) -> Vec3<f32> {
        self.base + self.delta
    }

    /// The plane that an obstacle is for the vertex, as seen from `at`. The vertex would be at `rest` if it moved with
    /// the obstacle, `gap` from it.
    fn plane(
        &self,
        obstacles: &Obstacles<'_>,
        number: u8,
        at: Vec3<f32>,
        (rest, gap): (Vec3<f32>, f32),
    ) -> Plane {
        let Surface { gap: here, normal } = obstacles.surface(number, at);
        let surface = (rest - self.x) * (1.0 / self.h);
        let [friction, restitution] = obstacles.law(number);
        let target = gap.min(0.0) * (1.0 - RECOVERY);
        let room = here + normal.dot((rest - at) + self.lost) - target;
        let is_there = room.abs() <= obstacles.skin(number, self.x);
        let stop = if is_there { 0.0 } else { -room / self.h };
        let bounce = -restitution * normal.dot(self.before - surface);
        let bounces = bounce > 0.0 && bounce > stop;
        let speed = normal.dot(surface) + if bounces { bounce } else { stop };
        Plane { normal, speed, surface, friction, obstacle: number, bounces, target }
    }

    /// Where the vertex would be if it moved with an obstacle, and how far from it \[m\].
    fn carried(&self, obstacles: &Obstacles<'_>, number: u8) -> (Vec3<f32>, f32) {
        let rest = self.x + obstacles.way(number, self.x);
        let Surface { gap, normal } = obstacles.surface(number, rest);
        (rest, gap + normal.dot(self.lost))
    }

    /// The plane of an obstacle that presses the vertex already, or that it meets on the way on which its velocity
    /// leads it.
    fn first_plane(&self, obstacles: &Obstacles<'_>, number: u8) -> Option<Plane> {
        let (rest, gap) = self.carried(obstacles, number);
        let way = self.base * self.h - (rest - self.x);
        if gap <= obstacles.skin(number, self.x) {
            let plane = self.plane(obstacles, number, rest, (rest, gap));
            let speed = plane.normal.dot(self.before - plane.surface);
            let is_pressed = plane.normal.dot(self.right) < 0.0 && speed <= 0.0;
            let goes_in = plane.normal.dot(self.base) < plane.speed;
            return (is_pressed || goes_in).then_some(plane);
        }
        let at = obstacles.meets(number, rest, rest + way)?;
        Some(self.plane(obstacles, number, at, (rest, gap)))
    }

    /// The plane of an obstacle in which the vertex would end.
    fn crossed_plane(&self, obstacles: &Obstacles<'_>, number: u8) -> Option<Plane> {
        let (rest, gap) = self.carried(obstacles, number);
        let end = rest + self.end() * self.h - (rest - self.x);
        let target = gap.min(0.0) * (1.0 - RECOVERY);
        let inside = obstacles.surface(number, end);
        if inside.gap + inside.normal.dot(self.lost) >= target - obstacles.skin(number, self.x) {
            return None;
        }
        let at = if gap > 0.0 { obstacles.meets(number, rest, end) } else { None };
        Some(self.plane(obstacles, number, at.unwrap_or(end), (rest, gap)))
    }
}

impl SolverJob<'_> {
    /// The vertices of a block that are held.
    ///
    /// # Safety
    /// Nobody else uses them meanwhile.
    #[allow(clippy::mut_from_ref, reason = "workers share this and have blocks of their own")]
    unsafe fn held(&self, number: usize) -> &mut Vec<Held> {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.held.add(number) }
    }

    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn vertex(&self, step: &ImplicitStep<'_>, slot: u32) -> Option<Vertex> {
        let (arrays, origin, v) = (step.work.arrays, self.origin(step), &self.vectors);
        // SAFETY: promised by the caller.
        unsafe {
            let moves = lane(arrays.velocity, slot)[3] > 0.0;
            moves.then(|| Vertex {
                x: vector(origin.position, slot),
                lost: vector(arrays.compensation, slot),
                before: vector(origin.velocity, slot),
                base: vector(arrays.velocity, slot),
                delta: vector(v.delta, slot),
                right: vector(v.right, slot),
                h: step.h as f32,
            })
        }
    }

    /// What a run of vertices may meet in a step.
    fn obstacles<'a>(&self, step: &'a ImplicitStep<'_>, run: &Run) -> Option<Obstacles<'a>> {
        let substep = step.colliders?;
        let (h, origin) = (step.h as f32, self.origin(step));
        let velocity = step.work.arrays.velocity;
        let [mut low, mut high] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for slot in run.slots.clone() {
            // SAFETY: the block's own slots are this call's alone.
            let (x, v, delta) = unsafe {
                let start = vector(origin.position, slot);
                (start, vector(velocity, slot), vector(self.vectors.delta, slot))
            };
            for end in [x, x + v * h, x + (v + delta) * h].map(<[f32; 3]>::from) {
                for k in 0..3 {
                    (low[k], high[k]) = (low[k].min(end[k]), high[k].max(end[k]));
                }
            }
        }
        let seen = Seen::new(substep, run.body as usize);
        let colliders = seen.near(seen.all(), low, high).mask;
        let walls = step.constants[run.body as usize].walls.as_ref();
        let skin = |x: [f32; 3]| 2.0 * SKIN as f32 * x.iter().map(|c| c.abs()).sum::<f32>();
        let inside = |walls: &&Walls<f32>| {
            let [near, far] = [low.map(|c| c - skin(low)), high.map(|c| c + skin(high))];
            walls.contains(near.into()) && walls.contains(far.into())
        };
        let walls = walls.filter(|walls| !inside(walls));
        Some(Obstacles { seen, colliders, walls }).filter(|obstacles| !obstacles.is_empty())
    }

    /// The first guess of what holds the vertices of a block, once the right-hand side is known and Δv guessed.
    /// Returns how many are held.
    pub(super) fn detect_obstacles(&self, step: &ImplicitStep<'_>, number: usize) -> f64 {
        // SAFETY: the block's list is this call's alone.
        let held = unsafe { self.held(number) };
        held.clear();
        for run in &step.work.slots().blocks[number].runs {
            let Some(obstacles) = self.obstacles(step, run) else { continue };
            for slot in run.slots.clone() {
                // SAFETY: the block's own slots are this call's alone.
                let Some(vertex) = (unsafe { self.vertex(step, slot) }) else { continue };
                let mut planes = Planes::default();
                let mut most = 0.0;
                for k in obstacles.numbers() {
                    if let Some(plane) = vertex.first_plane(&obstacles, k)
                        && planes.add(plane)
                    {
                        most += plane.friction * (-plane.normal.dot(vertex.right)).max(0.0);
                    }
                }
                if planes.is_empty() {
                    continue;
                }
                let mut new = Held { slot, planes, contact: Contact::default() };
                // SAFETY: as above.
                unsafe {
                    self.begin_friction(&mut new, &vertex, most);
                    self.enter(&new, &vertex);
                }
                held.push(new);
            }
        }
        held.len() as f64
    }

    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn begin_friction(&self, held: &mut Held, vertex: &Vertex, most: f32) {
        held.contact = Contact { bits: 1, ..Contact::default() };
        if held.has_friction() {
            let speeds = held.speeds(vertex.base, vertex.end());
            // SAFETY: promised by the caller.
            held.contact.begin_friction(speeds, most, unsafe { inertia(&self.vectors, held.slot) });
        }
    }

    /// Enters what holds a vertex into the system, in the place of what did before, and prescribes Δv.
    ///
    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn enter(&self, held: &Held, vertex: &Vertex) {
        let v = &self.vectors;
        let arrays = [
            v.mask,
            v.mask_rest,
            v.surface,
            v.delta,
            v.right,
            v.inverse,
            v.inverse_rest,
            v.contacts,
        ];
        // SAFETY: promised by the caller.
        let [mask, mask_rest, surface, delta, right, own, rest, contacts] =
            arrays.map(|array| unsafe { lane(array, held.slot) });
        let three = |l: &[f32; 4]| [l[0], l[1], l[2]];
        let old = [three(mask), three(mask_rest)];
        let (new, still) =
            (held.free(), held.planes.list().first().map_or(Vec3::zero(), |p| p.surface));
        let (c_old, c_new) = (contacts[3], held.contact.resistance);
        if c_old != 0.0 || c_new != 0.0 {
            let scaled = |p, c| add_scaled(Symmetric::default(), c, p);
            let braked = |p: &Symmetric<f32>, c: f32, w: Vec3<f32>| times(p, vertex.base - w) * c;
            let change = braked(&new, c_new, still) - braked(&old, c_old, three(surface).into());
            let change: [f32; 3] = change.into();
            (0..3).for_each(|k| right[k] -= change[k]);
            add_to_own(own, rest, add_scaled(scaled(new, c_new), -c_old, old));
        }
        let along = match held.contact.bits & STICKS != 0 {
            true => held.planes.rest() - vertex.base,
            false => times(&new, vertex.delta) - (vertex.base - times(&new, vertex.base)),
        };
        let prescribed =
            if held.planes.is_empty() { vertex.delta } else { held.planes.prescribed() + along };
        let write = |to: &mut [f32; 4], from: [f32; 3]| to[..3].copy_from_slice(&from);
        write(mask, new[0]);
        write(mask_rest, new[1]);
        write(surface, still.into());
        write(delta, prescribed.into());
        let Contact { bits, before, .. } = held.contact;
        *contacts = [bits as f32, before[0], before[1], c_new];
    }

    /// After a solve, looks again at what holds the vertices of a block; `slack` is the impulse that means nothing.
    pub(super) fn revise_obstacles(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        slack: f32,
        revision: u32,
    ) {
        // SAFETY: the block's list is this call's alone.
        let held = unsafe { self.held(number) };
        let known = held.len();
        let (mut next, mut news) = (0, 0.0);
        for run in &step.work.slots().blocks[number].runs {
            let Some(obstacles) = self.obstacles(step, run) else { continue };
            for slot in run.slots.clone() {
                while next < known && held[next].slot < slot {
                    next += 1;
                }
                // SAFETY: the block's own slots are this call's alone.
                let Some(vertex) = (unsafe { self.vertex(step, slot) }) else { continue };
                if next < known && held[next].slot == slot {
                    // SAFETY: as above.
                    let changed = unsafe {
                        self.revise_held(&mut held[next], &vertex, &obstacles, slack, revision)
                    };
                    news += f64::from(u8::from(changed));
                    continue;
                }
                let mut planes = Planes::default();
                for k in obstacles.numbers() {
                    vertex.crossed_plane(&obstacles, k).map(|plane| planes.add(plane));
                }
                if !planes.is_empty() {
                    let mut new = Held { slot, planes, contact: Contact::default() };
                    // SAFETY: as above.
                    unsafe {
                        self.begin_friction(&mut new, &vertex, 0.0);
                        self.enter(&new, &vertex);
                    }
                    held.push(new);
                    news += 1.0;
                }
            }
        }
        held.retain(|held| !held.planes.is_empty());
        held.sort_unstable_by_key(|held| held.slot);
        self.set(Scalar::ContactChanges, number, news);
    }

    /// What holds a vertex once a system is solved; `true` if that is something else than before.
    ///
    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn revise_held(
        &self,
        held: &mut Held,
        vertex: &Vertex,
        obstacles: &Obstacles<'_>,
        slack: f32,
        revision: u32,
    ) -> bool {
        // SAFETY: promised by the caller.
        let (impulse, inertia) = unsafe {
            let product = vector(self.vectors.product, held.slot);
            (product - vertex.right, inertia(&self.vectors, held.slot))
        };
        let pushes = held.planes.pushes(impulse);
        let pull = times(&held.planes.free(), impulse).length();
        let most =
            held.planes.list().iter().zip(pushes).map(|(p, push)| p.friction * push.max(0.0));
        let most: f32 = most.sum();
        let count = held.planes.list().len();
        if revision < MOST_RELEASES {
            held.planes.retain(|place| pushes[place] >= -slack);
        }
        let mut changed = held.planes.list().len() != count;
        for number in obstacles.numbers() {
            changed |= self.follow(held, vertex, obstacles, number, revision);
        }
        if held.planes.is_empty() {
            held.contact = Contact::default();
        } else if held.has_friction() {
            let [_, speed] = held.speeds(vertex.base, vertex.end());
            let may_change = revision < MOST_FRICTION_UPDATES;
            changed |= held.contact.update_friction(speed, pull, inertia, most, slack, may_change);
        }
        // SAFETY: as above.
        unsafe { self.enter(held, vertex) };
        changed
    }

    /// Puts the plane of an obstacle where the vertex ends, or adds it; `true` if that is another one than before.
    fn follow(
        &self,
        held: &mut Held,
        vertex: &Vertex,
        obstacles: &Obstacles<'_>,
        number: u8,
        revision: u32,
    ) -> bool {
        let (rest, gap) = vertex.carried(obstacles, number);
        let way = vertex.end() * vertex.h - (rest - vertex.x);
        let facing = obstacles.surface(number, rest + way).normal;
        let is_same = |p: &Plane| p.obstacle == number && p.normal.dot(facing) > SAME_SIDE;
        let Some(place) = held.planes.list().iter().position(is_same) else {
            let plane = vertex.crossed_plane(obstacles, number);
            return plane.is_some_and(|plane| held.planes.add(plane));
        };
        if obstacles.is_flat(number) || revision >= MOST_TURNS {
            return false;
        }
        let plane = vertex.plane(obstacles, number, rest + way, (rest, gap));
        let off = (plane.normal.dot(vertex.end()) - plane.speed).abs() * vertex.h;
        let is_off = off > obstacles.skin(number, vertex.x) + OFF_SURFACE * way.length();
        is_off && held.planes.replace(place, plane)
    }

    /// What is free of Δv at a slot, where there are colliders.
    pub(super) fn free_of_slot(&self, slot: u32) -> Option<[f32; 3]> {
        let v = &self.vectors;
        (!v.mask_rest.is_null()).then(|| {
            // SAFETY: the caller's block owns the slot.
            let [mask, rest] = [v.mask, v.mask_rest].map(|a| unsafe { vector(a, slot) }.into());
            // SAFETY: as above.
            times(&[mask, rest], unsafe { vector(v.delta, slot) }).into()
        })
    }

    /// How many vertices of a block obstacles move by what can be seen.
    pub(super) fn count_prescribed(&self, step: &ImplicitStep<'_>, number: usize) -> u32 {
        // SAFETY: the block's list and own slots are this call's alone.
        let held = unsafe { self.held(number) };
        let moves = |held: &&Held| {
            // SAFETY: as above.
            let (x, delta) = unsafe {
                let x = vector(step.work.arrays.position, held.slot);
                (x, vector(self.vectors.delta, held.slot))
            };
            let free = self.free_of_slot(held.slot).map_or(delta, Vec3::from);
            let skin = SKIN as f32 * (x.x.abs() + x.y.abs() + x.z.abs());
            (delta - free).length() * step.h as f32 > skin
        };
        held.iter().filter(moves).count() as u32
    }

    /// The end of a step: what obstacles hold goes on as they do, unless it bounces; impulses are noted.
    pub(super) fn leave_obstacles(&self, step: &ImplicitStep<'_>, number: usize) {
        let Some(substep) = step.colliders else { return };
        let arrays = step.work.arrays;
        let block = &step.work.slots().blocks[number];
        if substep.begins_step {
            for slot in block.owned.clone() {
                // SAFETY: the block's own slots are this call's alone.
                arrays.contact.iter().for_each(|&a| unsafe { *lane(a, slot) = [0.0; 4] });
            }
        }
        // SAFETY: the block's list is this call's alone.
        let held = unsafe { self.held(number) };
        let mut next = held.iter().peekable();
        let mut work = 0.0;
        for run in &block.runs {
            let seen = Seen::new(substep, run.body as usize);
            let walls = step.constants[run.body as usize].walls.as_ref();
            let obstacles = Obstacles { colliders: seen.all(), seen, walls };
            while let Some(held) = next.next_if(|held| held.slot < run.slots.end) {
                // SAFETY: the block's own slots are this call's alone.
                work += unsafe { self.leave(step, held, &obstacles) };
            }
        }
        self.set(Scalar::ObstacleWork, number, work);
    }

    /// The end of a step for a vertex that is held; returns what obstacles may have given to it \[J\].
    ///
    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn leave(&self, step: &ImplicitStep<'_>, held: &Held, obstacles: &Obstacles<'_>) -> f64 {
        let (v, arrays, slot) = (&self.vectors, step.work.arrays, held.slot);
        // SAFETY: promised by the caller.
        let [x, compensation, velocity] = [arrays.position, arrays.compensation, arrays.velocity]
            .map(|array| unsafe { lane(array, slot) });
        // SAFETY: as above.
        let impulse = unsafe {
            let right = vector(v.right, slot);
            if self.start.is_some() { -right } else { vector(v.product, slot) - right }
        };
        let three = |l: &[f32; 4]| Vec3::from([l[0], l[1], l[2]]);
        let (end, planes) = (three(velocity), &held.planes);
        let free = planes.free();
        let sticks = held.contact.bits & STICKS != 0;
        let along = times(&free, end);
        let pushes = planes.pushes(impulse);
        let friction = match sticks {
            true => times(&free, impulse),
            // What rounding does to velocities is much for a large resistance.
            false => {
                let braked = (along - planes.rest()) * -held.contact.resistance;
                let most = planes.list().iter().zip(pushes).map(|(p, push)| p.friction * push);
                let (length, most) = (braked.length(), most.sum::<f32>().max(0.0));
                if length > most { braked * (most / length) } else { braked }
            }
        };
        let goes_on = planes.kept() + if sticks { planes.rest() } else { along };
        let change = goes_on - end;
        // What the search and the roundness of obstacles have left must not add up over steps.
        let mut missing = Vec3::zero();
        for plane in planes.list() {
            let Surface { gap, normal } = obstacles.surface(plane.obstacle, three(x));
            let off = plane.target - (gap + normal.dot(three(compensation)));
            if off.abs() > obstacles.skin(plane.obstacle, three(x)) && !plane.bounces {
                missing += normal * off;
            }
        }
        let d = missing + three(compensation);
        let put = three(x) + d;
        compensation[..3].copy_from_slice(&<[f32; 3]>::from(d - (put - three(x))));
        x[..3].copy_from_slice(&<[f32; 3]>::from(put));
        let mass = 1.0 / velocity[3];
        velocity[..3].copy_from_slice(&<[f32; 3]>::from(goes_on));
        // SAFETY: as above.
        let mut notes = arrays.contact.map(|array| unsafe { *lane(array, slot) });
        let mut work = 0.0;
        for (place, (plane, push)) in planes.list().iter().zip(pushes).enumerate() {
            let is_first = place == 0;
            let all = plane.normal * push
                + if is_first { friction + change * mass } else { Vec3::zero() };
            let name = match plane.obstacle < FIRST_WALL {
                true => f32::from(plane.obstacle + 1),
                false => WALLS,
            };
            note(&mut notes, name, all);
            // What stands still gives nothing but the way out of itself.
            let out = push.max(0.0) * (plane.speed - plane.normal.dot(plane.surface)).max(0.0);
            work += f64::from(all.dot(plane.surface).max(0.0) + out);
        }
        for (array, note) in arrays.contact.into_iter().zip(notes) {
            // SAFETY: as above.
            unsafe { *lane(array, slot) = note };
        }
        work
    }
}
