
// The end of a step where there are no colliders.

#import pliant::implicit::contact

/// What walls hold ends the step at rest on them, unless it bounces. What slipped through by rounding is
/// put back.
fn leave(slot: u32, motion: Motion, body: BodyConstants) -> Motion {
    if (!body.has_walls || compensation[slot].w == 0.0) {
        return motion;
    }
    var m = motion;
    let walls = body.walls;
    let bits = u32(vectors[place(CONTACT, slot)].x);
    for (var k = 0u; k < 3u; k++) {
        if (rests(bits, k, m.v[k])) {
            m.x[k] = select(walls.low[k], walls.high[k], is_upper(bits, k));
            m.x_compensation[k] = 0.0;
            m.v[k] = 0.0;
        }
    }
    return put_back(m.x, m, walls);
}
