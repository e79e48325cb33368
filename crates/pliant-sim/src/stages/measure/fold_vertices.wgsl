// Sums over the slices of each body, in a fixed order. One workgroup per body.

#import pliant::fold

/// Twin of `BodySums` in gpu.rs: as `SliceSums`, with what rounding took from each.
struct BodySums {
    moment: vec4<f32>,
    momentum: vec4<f32>,
    angular: vec4<f32>,
    moment_low: vec4<f32>,
    momentum_low: vec4<f32>,
    angular_low: vec4<f32>,
    contacts: vec4<u32>,
}

@group(0) @binding(0) var<storage, read> slices: array<SliceSums>;
/// The first slice of each body, and the end of the last.
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> bodies: array<BodySums>;
@group(0) @binding(3) var<uniform> record: MeasureRecord;

var<workgroup> moments: array<Sum, LANES>;
var<workgroup> momenta: array<Sum, LANES>;
var<workgroup> angulars: array<Sum, LANES>;
var<workgroup> fastest: array<f32, LANES>;
var<workgroup> contacts: array<u32, LANES>;

@compute @workgroup_size(LANES)
fn fold_vertices(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let body = group_index(workgroup, groups);
    if (body < record.counts.x) {
        take(starts[body] + local, starts[body + 1u], local);
    }
    workgroupBarrier();
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        if (local < reach) {
            let other = local + reach;
            moments[local] = plus(moments[local], moments[other], record.counts.y);
            momenta[local] = plus(momenta[local], momenta[other], record.counts.y);
            angulars[local] = plus(angulars[local], angulars[other], record.counts.y);
            fastest[local] = max(fastest[local], fastest[other]);
            contacts[local] += contacts[other];
        }
        workgroupBarrier();
    }
    if (local == 0u && body < record.counts.x) {
        bodies[body] = BodySums(
            moments[0].high,
            momenta[0].high,
            vec4(angulars[0].high.xyz, fastest[0]),
            moments[0].low,
            momenta[0].low,
            angulars[0].low,
            vec4(contacts[0], 0u, 0u, 0u),
        );
    }
}

/// Adds every 64th slice, from `first` on, to what this invocation has.
fn take(first: u32, end: u32, local: u32) {
    let none = vec4<f32>(0.0);
    var m = Sum(none, none);
    var p = Sum(none, none);
    var l = Sum(none, none);
    for (var slice = first; slice < end; slice += LANES) {
        let s = slices[slice];
        m = plus(m, Sum(s.moment, none), record.counts.y);
        p = plus(p, Sum(s.momentum, none), record.counts.y);
        l = plus(l, Sum(vec4(s.angular.xyz, 0.0), none), record.counts.y);
        fastest[local] = max(fastest[local], s.angular.w);
        contacts[local] += s.contacts.x;
    }
    moments[local] = m;
    momenta[local] = p;
    angulars[local] = l;
}
