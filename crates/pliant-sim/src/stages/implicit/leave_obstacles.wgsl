
// The end of a step where there are colliders. Twin of `leave` in cpu/obstacles.rs.

#import pliant::colliders::note
#import pliant::implicit::obstacles

/// Forces of drags and pushes [N]; behind them what colliders and walls gave, see colliders/sweep.wgsl.
@group(0) @binding(9) var<storage, read_write> touch: array<vec4<f32>>;
@group(0) @binding(10) var<uniform> colliders: Colliders;

/// What obstacles hold goes on as they do, unless it bounces; impulses are noted.
fn leave(slot: u32, motion: Motion, body: BodyConstants) -> Motion {
    var m = motion;
    let at = step.slot_count + slot;
    contact = array(vec4(0.0), vec4(0.0));
    if (colliders.head.y == 0u) {
        contact = array(touch[at], touch[at + step.slot_count]);
    }
    let obstacles = obstacles_of(slot);
    var planes = load_planes(slot, obstacles);
    let held = load_contact(slot);
    var work = 0.0;
    if (planes.count > 0u) {
        var impulse = -vectors[place(RIGHT, slot)].xyz;
        if (step.flags.y == 0u) {
            impulse += vectors[place(PRODUCT, slot)].xyz;
        }
        let axes = basis(planes);
        let projection = free(planes, axes);
        let still = rest(planes, projection);
        let along = projection * m.v;
        var of_planes = pushes(planes, axes, impulse);
        let sticks = (held.bits & STICKS) != 0u;
        var friction = projection * impulse;
        if (!sticks) {
            // What rounding does to velocities is much for a large resistance.
            friction = (along - still) * -held.resistance;
            let most = max(most_friction(planes, of_planes), 0.0);
            let size = length(friction);
            if (size > most) {
                friction *= most / size;
            }
        }
        let goes_on = kept(planes, axes) + select(along, still, sticks);
        let change = (goes_on - m.v) * position[slot].w;
        var missing = vec3(0.0);
        for (var i = 0u; i < planes.count; i++) {
            let plane = plane_of(planes, i);
            // What the search and the roundness of obstacles have left must not add up over steps.
            let here = obstacle_surface(obstacles, plane.obstacle, m.x);
            let off = plane.ends_at - (here.gap + dot(here.normal, m.x_compensation));
            if (abs(off) > obstacle_skin(obstacles, plane.obstacle, m.x) && !plane.bounces) {
                missing += here.normal * off;
            }
            var given = plane.normal * of_planes[i];
            if (i == 0u) {
                given += friction + change;
            }
            note(select(f32(plane.obstacle + 1u), WALLS, plane.obstacle >= FIRST_WALL), given);
            // What stands still gives nothing but the way out of itself.
            let out = max(of_planes[i], 0.0) * max(plane.speed - dot(plane.normal, plane.surface), 0.0);
            work += max(dot(given, plane.surface), 0.0) + out;
        }
        m = add_compensated(m, missing);
        m.v = goes_on;
    }
    touch[at] = contact[0];
    touch[at + step.slot_count] = contact[1];
    vectors[place(MASK, slot)].w = work;
    return m;
}
