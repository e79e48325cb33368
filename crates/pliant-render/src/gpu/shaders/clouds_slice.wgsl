// What the slicing plane leaves of a ray: twin of `Plane` in the CPU's clouds.

#import render::clouds

/// Where a ray meets the slice, and between which depths it leaves anything.
struct Sliced {
    depth: f32,
    start: f32,
    end: f32,
}

fn slice_of(place: vec2<f32>) -> Sliced {
    let near = frame.eye.w;
    let mode = cloud.slice_point.w;
    if (mode == 0.0) {
        return Sliced(NEVER, near, NEVER);
    }
    let pixel = place + 0.5 * frame.size.xy;
    let ray = frame.rays[0].xyz * pixel.x + frame.rays[1].xyz * pixel.y + frame.rays[2].xyz;
    let side = dot(frame.eye.xyz - cloud.slice_point.xyz, cloud.slice_normal.xyz);
    let speed = dot(ray, cloud.slice_normal.xyz);
    var depth = NEVER;
    if (side * speed < 0.0) {
        depth = -side / speed;
    }
    let seen = select(NEVER, depth, depth >= near);
    if (mode < 2.0) {
        return Sliced(seen, near, NEVER);
    }
    if (depth >= NEVER) {
        return Sliced(NEVER, select(near, NEVER, side > 0.0), NEVER);
    }
    return Sliced(seen, select(max(depth, near), near, speed > 0.0), select(NEVER, depth, speed > 0.0));
}
