// Lines of even width: twin of `ribbon` in primitives.rs of the CPU's renderer.

#import render::frame
#import render::shown

const LINE_BIAS: f32 = 2e-3;

struct Place {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec3<f32>,
}

/// Where the line from `inner` out to `outer` meets the near plane.
fn at_near(inner: vec3<f32>, outer: vec3<f32>) -> vec3<f32> {
    let near = frame.eye.w;
    let t = (near - outer.z) / (inner.z - outer.z);
    return vec3<f32>(mix(outer.xy, inner.xy, t), near);
}

/// One of the four corners of a line of some width [pixels].
fn ribbon(from_place: vec3<f32>, to_place: vec3<f32>, width: f32, in_front: bool, corner: u32) -> vec4<f32> {
    let near = frame.eye.w;
    var a = homogeneous(from_place);
    var b = homogeneous(to_place);
    if (max(a.z, b.z) <= near) {
        return NOWHERE;
    }
    if (a.z < near) {
        a = at_near(b, a);
    } else if (b.z < near) {
        b = at_near(a, b);
    }
    let start = a.xy / a.z;
    let end = b.xy / b.z;
    let span = length(end - start);
    // Seen end on, a line is a dot.
    let along = select(vec2<f32>(1.0, 0.0), (end - start) / max(span, 1e-30), span > 0.0);
    let across = vec2<f32>(-along.y, along.x);
    let half = 0.5 * width;
    let at_end = corner >= 2u;
    let sideways = select(-half, half, corner % 2u == 1u);
    let pixel = select(start - along * half, end + along * half, at_end) + across * sideways;
    // The bias must not push a line through the near plane.
    let biased = max(select(a.z, b.z, at_end) * (1.0 - LINE_BIAS), near);
    let depth = select(biased, near, in_front);
    return clip_of(vec3<f32>(pixel * depth, depth));
}

@fragment
fn line_fragment(place: Place) -> @location(0) vec4<f32> {
    return shown(place.colour);
}
