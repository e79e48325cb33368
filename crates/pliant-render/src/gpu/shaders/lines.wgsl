// The lines of a draw list.

#import render::ribbon

/// Twin of `LineRecord` in scene.rs.
struct Line {
    @location(0) start: vec3<f32>,
    @location(1) end: vec3<f32>,
    @location(2) colour: vec3<f32>,
    @location(3) width: f32,
    /// 1 for a line that nothing hides.
    @location(4) in_front: u32,
}

@vertex
fn line_vertex(line: Line, @builtin(vertex_index) corner: u32) -> Place {
    return Place(ribbon(line.start, line.end, line.width, line.in_front == 1u, corner), line.colour);
}
