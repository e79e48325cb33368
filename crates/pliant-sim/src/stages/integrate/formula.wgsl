// The arithmetic of the integrators, one vertex at a time; twin of formula.rs.

/// What an update reads and writes of one vertex.
struct Motion {
    x: vec3<f32>,
    /// What rounding took from `x` so far.
    x_compensation: vec3<f32>,
    v: vec3<f32>,
    history: array<vec3<f32>, 4>,
    /// Zero, which no compiler knows.
    zero: u32,
}

/// v ← keep·v + kick·a, then x ← x + drift·v; coefficients are (keep, kick, drift).
fn kick_drift(motion: Motion, a: vec3<f32>, c: vec4<f32>) -> Motion {
    var m = motion;
    m.v = m.v * c.x + a * c.y;
    if (c.z != 0.0) {
        m = add_compensated(m, m.v * c.z);
    }
    return m;
}

/// First half of Beeman's step; coefficients are (h, ratio, damping, h²/6).
fn beeman_drift(motion: Motion, a: vec3<f32>, c: vec4<f32>) -> Motion {
    var m = motion;
    let now = a - m.v * c.z;
    // Extrapolated to tₙ − h when the last step had another length.
    let before = now + (m.history[0] - now) * c.y;
    let push = now * 4.0 - before;
    m = add_compensated(m, m.v * c.x + push * c.w);
    m.history[1] = now;
    return m;
}

/// Second half of Beeman's step; coefficients are (h/6, ratio, 1/(1 + h·damping/3)).
fn beeman_kick(motion: Motion, a: vec3<f32>, c: vec4<f32>) -> Motion {
    var m = motion;
    let now = m.history[1];
    let before = now + (m.history[0] - now) * c.y;
    let past = now * 5.0 - before;
    m.v = (m.v + (a * 2.0 + past) * c.x) * c.z;
    m.history[0] = now;
    return m;
}

/// A stage of a Runge–Kutta scheme; coefficients are (weight, ahead, damping).
fn runge_kutta(motion: Motion, a: vec3<f32>, c: vec4<f32>, first: bool, last: bool) -> Motion {
    var m = motion;
    let rate_x = m.v;
    let rate_v = a - m.v * c.z;
    if (first) {
        m.history = array(m.x, m.v, rate_x * c.x, rate_v * c.x);
    } else {
        m.history[2] += rate_x * c.x;
        m.history[3] += rate_v * c.x;
    }
    if (last) {
        m.x = m.history[0];
        m = add_compensated(m, m.history[2]);
        m.v = m.history[1] + m.history[3];
    } else {
        m.x = m.history[0] + rate_x * c.y;
        m.v = m.history[1] + rate_v * c.y;
    }
    return m;
}

/// x ← x + d, keeping in `x_compensation` what rounding takes away (Kahan 1965).
///
/// Compilers may take (x + d) − x for d, and nothing would be kept: they cannot look through a sum
/// whose bits were changed by an unknown zero.
fn add_compensated(motion: Motion, distance: vec3<f32>) -> Motion {
    var m = motion;
    let d = distance + m.x_compensation;
    let sum = bitcast<vec3<f32>>(bitcast<vec3<u32>>(m.x + d) ^ vec3(m.zero));
    m.x_compensation = d - (sum - m.x);
    m.x = sum;
    return m;
}
