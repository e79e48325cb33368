// What colliders and walls give to a vertex in a step; twin of `note` in mod.rs.

/// What the world box is called among those that stop vertices; colliders have their numbers from 1 on.
const WALLS: f32 = 65.0;

/// What a vertex was given so far [N·s]: by one of them, then by all others, with its number as the fourth number.
var<private> contact: array<vec4<f32>, 2>;

/// Adds what something gave to a vertex.
fn note(number: f32, impulse: vec3<f32>) {
    let is_first = contact[0].w == 0.0 || contact[0].w == number;
    let place = select(1u, 0u, is_first);
    contact[place] = vec4(contact[place].xyz + impulse, number);
}
