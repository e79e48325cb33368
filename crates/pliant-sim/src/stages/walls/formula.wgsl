// The world box, one vertex at a time; twin of formula.rs.

#import pliant::integrate

/// The box in a body's own coordinates.
struct Walls {
    low: vec3<f32>,
    high: vec3<f32>,
    restitution: f32,
    friction: f32,
}

struct Collided {
    x: vec3<f32>,
    v: vec3<f32>,
}

/// Puts a vertex back into the box that has come from `start` in this step.
fn collide(walls: Walls, start: vec3<f32>, x: vec3<f32>, v: vec3<f32>) -> Collided {
    let is_out = (x < walls.low) | (x > walls.high);
    var p = x;
    var u = v;
    for (var k = 0u; k < 3u; k++) {
        var outward = 0.0;
        if (p[k] < walls.low[k]) {
            p[k] = walls.low[k];
            outward = -u[k];
        } else if (p[k] > walls.high[k]) {
            p[k] = walls.high[k];
            outward = u[k];
        } else {
            continue;
        }
        if (outward > 0.0) {
            u[k] = -walls.restitution * u[k];
            let i = (k + 1u) % 3u;
            let j = (k + 2u) % 3u;
            let speed = sqrt(u[i] * u[i] + u[j] * u[j]);
            let loss = walls.friction * (1.0 + walls.restitution) * outward;
            let keep = select(0.0, 1.0 - loss / speed, speed > loss);
            // Without friction nothing is lost, not even a vertex at rest's zero over zero.
            if (walls.friction > 0.0) {
                u[i] *= keep;
                u[j] *= keep;
                p[i] = select(start[i] + (p[i] - start[i]) * keep, p[i], is_out[i]);
                p[j] = select(start[j] + (p[j] - start[j]) * keep, p[j], is_out[j]);
            }
        }
    }
    return Collided(p, u);
}

/// Puts back what left the box and was at `start` when the step began.
fn put_back(start: vec3<f32>, motion: Motion, walls: Walls) -> Motion {
    var m = motion;
    if (any(m.x < walls.low) || any(m.x > walls.high)) {
        let back = collide(walls, start, m.x, m.v);
        m.x_compensation = select(m.x_compensation, vec3(0.0), back.x != m.x);
        m.x = back.x;
        m.v = back.v;
    }
    return m;
}
