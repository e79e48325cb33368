// One ray: twin of the CPU's cast.rs and overlap.rs. There is one way for all rays, in pieces in which
// nothing begins or ends, since every function is compiled anew wherever it is called.

#import render::clouds
#import render::clouds_iso
#import render::clouds_slice
#import render::clouds_tree

/// The most bodies, or parts of bodies, that a ray can be in at once; more are counted and left out.
const WALKERS: u32 = 6u;

/// A way through one body.
struct Walker {
    face: vec4<u32>,
    tet: u32,
    /// Depth and value at both sides of the tetrahedron.
    near: vec2<f32>,
    far: vec2<f32>,
}

/// An iso-surface that comes next.
struct NextIso {
    depth: f32,
    number: u32,
    tet: u32,
}

/// The value at a depth between two pairs of depth and value.
fn value_at(near: vec2<f32>, far: vec2<f32>, depth: f32) -> f32 {
    return mix(near.y, far.y, clamp((depth - near.x) / (far.x - near.x), 0.0, 1.0));
}

fn walker_value(walker: Walker, depth: f32) -> f32 {
    let own = own_value(walker.tet);
    return select(value_at(walker.near, walker.far, depth), own, is_known(own));
}

/// The nearest iso-surface of a walker's tetrahedron behind `z`, if it is nearer than another.
fn nearer_iso(walker: Walker, z: f32, nearest: NextIso) -> NextIso {
    var next = nearest;
    if (is_known(own_value(walker.tet)) || !is_known(walker.near.y) || !is_known(walker.far.y)) {
        return next;
    }
    for (var i = 0u; i < cloud.modes.y; i++) {
        let iso = iso_at(i).x;
        let part = clamp((iso - walker.near.y) / (walker.far.y - walker.near.y), 0.0, 1.0);
        let depth = mix(walker.near.x, walker.far.x, part);
        if (is_between(iso, walker.near.y, walker.far.y) && depth > z && depth < next.depth) {
            next = NextIso(depth, i, walker.tet);
        }
    }
    return next;
}

/// Adds what all walkers have between two depths, where extinctions add up.
fn absorbed_by_all(
    before: vec4<f32>,
    walkers: ptr<function, array<Walker, WALKERS>>,
    count: u32,
    range: vec2<f32>,
    metre: f32,
) -> vec4<f32> {
    var light = before;
    // The first time finds out how many parts there must be.
    var parts = 1.0;
    for (var part = 0.0; part < parts; part += 1.0) {
        let ends = mix(vec2<f32>(range.x), vec2<f32>(range.y), vec2<f32>(part, part + 1.0) / parts);
        var depth = vec4<f32>(0.0);
        for (var i = 0u; i < count; i++) {
            let from_value = walker_value((*walkers)[i], ends.x);
            let to_value = walker_value((*walkers)[i], ends.y);
            if (is_known(from_value) && is_known(to_value)) {
                depth += mean(from_value, to_value) * ((ends.y - ends.x) * metre);
            }
        }
        if (parts == 1.0 && depth.x > THICK) {
            parts = min(ceil(depth.x / THICK), 256.0);
            part = -1.0;
        } else {
            light = absorbed(light, depth);
        }
    }
    return light;
}

/// A ray that shows nearly nothing of what is behind counts as opaque.
fn finished(light: vec4<f32>) -> vec4<f32> {
    if (light.x >= OPAQUE) {
        return light;
    }
    return vec4<f32>(0.0, light.yzw / (1.0 - light.x));
}

/// How much is seen of what is at the depth `stop`, and red, green and blue before it.
fn light_of_ray(place: vec2<f32>, stop: f32) -> vec4<f32> {
    let sliced = slice_of(place);
    let end = min(stop, sliced.end);
    let metre = length(vec3<f32>(place * length(frame.rays[0].xyz), 1.0));
    var walkers: array<Walker, WALKERS>;
    var count = 0u;
    var light = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    var z = sliced.start;
    var slice = sliced.depth;
    var entry = Entry(-NEVER, 0u);
    var is_waiting = false;
    // No walk is longer than there are tetrahedra.
    var steps = 0u;
    let most = (cloud.counts.w + cloud.counts.y) * 4u + 16u;
    while (z < end && light.x >= OPAQUE) {
        steps += 1u;
        if (steps > most) {
            atomicAdd(&report[0], 1u);
            break;
        }
        if (!is_waiting) {
            entry = next_entry(place, entry);
            is_waiting = true;
        }
        if (entry.depth <= z) {
            if (count < WALKERS) {
                let face = faces[entry.face];
                let at = vec2<f32>(entry.depth, crossing(place, face).value);
                walkers[count] = Walker(face, NONE, at, at);
                count += 1u;
            } else {
                atomicAdd(&report[1], 1u);
            }
            is_waiting = false;
            continue;
        }
        var to = min(entry.depth, min(end, slice));
        var iso = NextIso(NEVER, 0u, 0u);
        var kept = 0u;
        var is_behind = false;
        for (var i = 0u; i < count; i++) {
            var walker = walkers[i];
            if (walker.far.x <= z) {
                if (walker.face.w == NONE) {
                    continue;
                }
                let before = walker.tet;
                let ids = walker.face.xyz;
                walker.tet = walker.face.w >> 2u;
                walker.face = walked(place, walker.face);
                if (walker.face.w == DEAD) {
                    atomicAdd(&report[0], 1u);
                    continue;
                }
                walker.near = walker.far;
                let far = crossing(place, walker.face);
                walker.far = vec2<f32>(far.depth, far.value);
                if (cloud.modes.x != 0u && before != NONE && walker.near.x == z) {
                    light = cover_faces(light, ids, vec2<u32>(before, walker.tet), place);
                }
                is_behind = is_behind || walker.far.x <= z;
            }
            walkers[kept] = walker;
            kept += 1u;
            to = min(to, walker.far.x);
            iso = nearer_iso(walker, z, iso);
        }
        count = kept;
        if (is_behind) {
            continue;
        }
        if (count == 0u && entry.face == NONE) {
            break;
        }
        to = min(to, iso.depth);
        if (to > z) {
            light = absorbed_by_all(light, &walkers, count, vec2<f32>(z, to), metre);
            z = to;
        }
        if (iso.depth <= z) {
            light = cover_inside(light, iso.number, iso.tet, place);
        }
        if (slice <= z) {
            for (var i = 0u; i < count; i++) {
                let value = walker_value(walkers[i], slice);
                if (is_known(value) && slice < stop) {
                    light = cover(light, entry_of(2u, limited(value)).rgb, 1.0);
                    break;
                }
            }
            slice = NEVER;
        }
    }
    return finished(light);
}
