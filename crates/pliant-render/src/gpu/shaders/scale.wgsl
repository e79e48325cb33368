// Values as colours: twin of colour.rs.

/// Entries of a colour map.
const TABLE: u32 = 256u;
/// Twin of `colour::NO_VALUE`.
const NO_VALUE: vec3<f32> = vec3<f32>(0.55, 0.02, 0.50);

/// Grey to red, then viridis.
@group(1) @binding(2) var<uniform> tables: array<vec4<f32>, 512>;

/// A value from its bits, and more than 0 where there is none: compilers may take it that all numbers
/// are numbers.
fn known(bits: u32) -> vec2<f32> {
    let is_number = (bits & 0x7fffffffu) <= 0x7f800000u;
    return select(vec2<f32>(0.0, 1.0), vec2<f32>(bitcast<f32>(bits), 0.0), is_number);
}

/// The colour of a paint, whose fourth number is −1 for one colour, else the number of a table.
fn painted(paint: vec4<f32>, value: vec2<f32>) -> vec3<f32> {
    if (paint.w < 0.0) {
        return paint.rgb;
    }
    return select(mapped(u32(paint.w), value.x), NO_VALUE, value.y > 0.0);
}

/// Twin of `Table::colour`.
fn mapped(table: u32, t: f32) -> vec3<f32> {
    let x = clamp(t, 0.0, 1.0) * f32(TABLE - 1u);
    let i = min(u32(x), TABLE - 2u);
    let first = table * TABLE + i;
    return mix(tables[first].rgb, tables[first + 1u].rgb, x - f32(i));
}
