// Edges of a simulation's surface, and rubber bands.

#import render::arrays
#import render::ribbon

@vertex
fn resident_line(
    @builtin(instance_index) line: u32,
    @builtin(vertex_index) corner: u32,
) -> Place {
    if (line >= looks.counts.x) {
        return band(bands[line - looks.counts.x], corner);
    }
    var ends = vec2<u32>(0u);
    if (is_cut()) {
        // Edges between two faces are drawn twice, at the same place.
        let face = face_at(line / 3u);
        if (!face.is_drawn) {
            return Place(NOWHERE, vec3<f32>(0.0));
        }
        ends = vec2<u32>(face.corners[line % 3u], face.corners[(line + 1u) % 3u]);
    } else {
        ends = vec2<u32>(marks[2u * line], marks[2u * line + 1u]);
    }
    if (!is_there(ends.x) || !is_there(ends.y)) {
        return Place(NOWHERE, vec3<f32>(0.0));
    }
    let width = looks.edge.w * pixel();
    return Place(ribbon(place_of(ends.x), place_of(ends.y), width, false, corner), looks.edge.rgb);
}

fn band(record: vec4<u32>, corner: u32) -> Place {
    let hand = bitcast<vec3<f32>>(record.xyz);
    if (!is_there(record.w) || !is_finite(hand)) {
        return Place(NOWHERE, vec3<f32>(0.0));
    }
    let width = looks.band.w * pixel();
    return Place(ribbon(place_of(record.w), hand, width, false, corner), looks.band.rgb);
}
