// Surfaces of equal value: twin of iso.rs.

#import render::clouds
#import render::light

/// The iso-surfaces begin here in the tables.
const ISOS: u32 = 3u * ENTRIES;

/// Place, and opacity, of an iso-surface.
fn iso_at(number: u32) -> vec2<f32> {
    return tables[ISOS + 2u * number].xy;
}

/// Whether an iso-surface lies between two values.
fn is_between(iso: f32, from_value: f32, to_value: f32) -> bool {
    return iso > min(from_value, to_value) && iso <= max(from_value, to_value);
}

/// In metres along the axes of the picture.
fn in_space(id: u32, focal: f32) -> vec3<f32> {
    let p = points[id];
    return vec3<f32>(p.xy / focal, p.z);
}

fn focal_length() -> f32 {
    return 1.0 / length(frame.rays[0].xyz);
}

fn cover_lit(light: vec4<f32>, number: u32, outward: vec3<f32>, place: vec2<f32>) -> vec4<f32> {
    let focal = focal_length();
    let axes = mat3x3<f32>(frame.right.xyz, -frame.up.xyz, frame.forward.xyz);
    let to_eye = unit_or(axes * -vec3<f32>(place / focal, 1.0), -frame.forward.xyz);
    let most = max(max(abs(outward.x), abs(outward.y)), abs(outward.z));
    let normal = unit_or(axes * (outward / most), to_eye);
    let colour = tables[ISOS + 2u * number + 1u].rgb;
    let lit = reflected(colour, normal, to_eye, frame.to_light.xyz, 1.0);
    return cover(light, lit, iso_at(number).y);
}

/// Adds an iso-surface inside a tetrahedron.
fn cover_inside(light: vec4<f32>, number: u32, tet: u32, place: vec2<f32>) -> vec4<f32> {
    let corners = tets[tet].corners;
    let focal = focal_length();
    let a = in_space(corners.x, focal);
    let b = in_space(corners.y, focal) - a;
    let c = in_space(corners.z, focal) - a;
    let d = in_space(corners.w, focal) - a;
    let value = points[corners.x].w;
    let gradient = cross(c, d) * (points[corners.y].w - value)
        + cross(d, b) * (points[corners.z].w - value)
        + cross(b, c) * (points[corners.w].w - value);
    return cover_lit(light, number, gradient, place);
}

/// Adds the iso-surfaces between two tetrahedra with values of their own.
fn cover_faces(
    before: vec4<f32>,
    ids: vec3<u32>,
    neighbours: vec2<u32>,
    place: vec2<f32>,
) -> vec4<f32> {
    var light = before;
    let values = vec2<f32>(own_value(neighbours.x), own_value(neighbours.y));
    if (!is_known(values.x) || !is_known(values.y)) {
        return light;
    }
    let focal = focal_length();
    let a = in_space(ids.x, focal);
    let outward = cross(in_space(ids.y, focal) - a, in_space(ids.z, focal) - a);
    let count = cloud.modes.y;
    for (var i = 0u; i < count; i++) {
        let number = select(count - 1u - i, i, values.y > values.x);
        if (is_between(iso_at(number).x, values.x, values.y)) {
            light = cover_lit(light, number, outward, place);
        }
    }
    return light;
}
