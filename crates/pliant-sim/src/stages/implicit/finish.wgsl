// The end of a step: velocities and positions from the change that was found, and what walls do
// besides. Twin of cpu/finish.rs. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::frames
#import pliant::integrate
#import pliant::sweep
#import pliant::implicit
#import pliant::implicit::search
#import pliant::implicit::vectors

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> low: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> memory: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> frames: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> vectors: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> search: Search;
@group(0) @binding(7) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(8) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn finish(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    if (search.phase == DONE) {
        finish_vertex(slot);
    } else if (atomicLoad(&flags[BAD_SLOT]) == NONE) {
        // The host has to record more cycles; until then nothing happens. No slot tells it apart
        // from a substep that went wrong, which explicit bodies may have done already.
        atomicMin(&flags[BAD_SUBSTEP], step.substep - 1u);
    }
}

fn finish_vertex(slot: u32) {
    let frame = frame_of(slot);
    if (!frame.is_implicit) {
        return;
    }
    let h = step.implicit.x;
    var old = velocity[slot];
    var x = position[slot].xyz;
    let free = low[slot].w;
    var delta = vectors[place(DELTA, slot)].xyz;
    if (step.flags.y != 0u) {
        // Newton's iterations have moved it.
        let start = vectors[place(START_VELOCITY, slot)];
        delta = old.xyz - start.xyz;
        old = start;
        x = vectors[place(START_POSITION, slot)].xyz;
    }
    var m: Motion;
    m.x = x;
    m.x_low = low[slot].xyz;
    m.v = old.xyz + delta;
    m.zero = bitcast<u32>(step.fixed.w);
    m = add_compensated(m, m.v * h);
    if (any((bitcast<vec3<u32>>(m.x) & vec3(0x7fffffffu)) >= vec3(0x7f800000u))) {
        note_bad(slot);
    }
    if (frame.has_walls && free != 0.0) {
        m = leave_walls(slot, m, old.xyz, frame.walls);
    }
    store(slot, m, frame);
    memory[slot] = vec4(delta / h, 0.0);
}

/// Components that were taken to a wall: they end there, bounce as restitution says, and what the
/// wall gave to them brakes the vertex along the wall. Where it had to hold them back, they leave with
/// the velocity that this is worth. What slipped through is put back.
fn leave_walls(slot: u32, motion: Motion, old: vec3<f32>, walls: Walls) -> Motion {
    var m = motion;
    let mask = vectors[place(MASK, slot)].xyz;
    var impulse = -vectors[place(RIGHT, slot)].xyz;
    if (step.flags.y == 0u) {
        // After Newton's iterations, what is left of the balance is all that walls have to give.
        impulse += vectors[place(PRODUCT, slot)].xyz;
    }
    let below = vectors[place(OWN_BELOW, slot)];
    let own = Factors(vectors[place(OWN, slot)].xyz, below.xyz);
    let mass = below.w;
    for (var k = 0u; k < 3u; k++) {
        if (mask[k] != 0.0) {
            continue;
        }
        let is_low = m.x[k] < 0.5 * (walls.low[k] + walls.high[k]);
        m.x[k] = select(walls.high[k], walls.low[k], is_low);
        m.x_low[k] = 0.0;
        let outward = select(1.0, -1.0, is_low);
        let pressure = -outward * impulse[k];
        var unit = vec3(0.0);
        unit[k] = outward * min(pressure, 0.0);
        let leaving = precondition(own, unit)[k];
        m.v[k] = select(leaving, -walls.restitution * old[k], old[k] * outward > 0.0);
        let given = max(pressure, 0.0) * (1.0 + walls.restitution);
        if (walls.friction > 0.0) {
            let loss = walls.friction * given / mass;
            let i = (k + 1u) % 3u;
            let j = (k + 2u) % 3u;
            let speed = sqrt(m.v[i] * m.v[i] + m.v[j] * m.v[j]);
            let keep = select(0.0, 1.0 - loss / speed, speed > loss);
            m.v[i] *= keep;
            m.v[j] *= keep;
        }
    }
    return put_back(m.x, m, walls);
}
