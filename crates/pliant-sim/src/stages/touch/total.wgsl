// The force of all hands together at the present positions, without what damps the rubber bands. A fixed
// number of workgroups share vertices and held vertices among them; the host adds up what each has found.

#import pliant::grid
#import pliant::step
#import pliant::touch
#import pliant::hands

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> slice_body: array<u32>;
@group(0) @binding(2) var<storage, read> pushes: array<Push>;
/// A point of each push's axis in the coordinates of each body, push after push.
@group(0) @binding(3) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> holds: array<HeldVertex>;
@group(0) @binding(5) var<storage, read> bands: array<Band>;
/// As in drags.wgsl, at one moment.
@group(0) @binding(6) var<storage, read> hands: array<vec4<u32>>;
/// What each workgroup has found [N].
@group(0) @binding(7) var<storage, read_write> parts: array<vec4<f32>>;

var<workgroup> sums: array<vec3<f32>, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn total(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = group_index(workgroup, groups);
    let count = arrayLength(&parts);
    let stride = count * WORKGROUP;
    var sum = vec3(0.0);
    for (var slot = group * WORKGROUP + local; slot < arrayLength(&position); slot += stride) {
        sum += pushes_on(slot);
    }
    for (var n = group * WORKGROUP + local; n < hands[0].z; n += stride) {
        sum += bands_on(holds[n]);
    }
    sums[local] = sum;
    workgroupBarrier();
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        if (local < reach) {
            sums[local] += sums[local + reach];
        }
        workgroupBarrier();
    }
    if (local == 0u && group < count) {
        parts[group] = vec4(sums[0], 0.0);
    }
}

/// The sum of all pushes on a vertex; padding, which has no mass, feels none.
fn pushes_on(slot: u32) -> vec3<f32> {
    let x = position[slot];
    if (x.w <= 0.0) {
        return vec3(0.0);
    }
    let body = slice_body[slot / SLICE];
    var sum = vec3(0.0);
    for (var p = 0u; p < arrayLength(&pushes); p++) {
        let push = pushes[p];
        if (push.force != 0.0) {
            let origin = points[p * hands[0].w + body].xyz;
            sum += push_force(x.xyz, origin, push.axis, push.radius2, push.force);
        }
    }
    return sum;
}

/// The sum of all rubber bands on a held vertex.
fn bands_on(hold: HeldVertex) -> vec3<f32> {
    let x = position[hold.slot].xyz;
    var sum = vec3(0.0);
    for (var b = hold.first; b < hold.end; b++) {
        let band = bands[b];
        let hand = bitcast<vec4<f32>>(hands[1u + band.grip]);
        sum += drag_force(x, vec3(0.0), hand.xyz + band.offset, 0.0, hand.w);
    }
    return sum;
}
