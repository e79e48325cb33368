
// Momentum that bodies miss where walls alone hold vertices: by component.

/// The momentum that vertices have not got yet, by component.
struct MomentumDeficit {
    /// Momentum [kg·m/s].
    impulse: vec3<f32>,
    /// How much momentum goes in and out of them [kg·m/s].
    turnover: f32,
    /// How many are held by something.
    held: vec3<f32>,
    /// What has to be moved, and what resists that [kg].
    mass: vec3<f32>,
}

/// Adds a vertex of this inertia [kg] that was given momentum by loads and has found some [kg·m/s], and ends at the
/// velocity `after`.
fn with_momentum(
    so_far: MomentumDeficit, slot: u32, inertia: f32, by_loads: vec3<f32>, found: vec3<f32>, after: vec3<f32>,
) -> MomentumDeficit {
    let mask = vectors[place(MASK, slot)].xyz;
    let resistance = mask * vectors[place(CONTACT, slot)].w;
    let given = by_loads - resistance * after;
    let is_free = mask != vec3(0.0);
    var deficit = so_far;
    deficit.impulse += given - found;
    deficit.turnover += dot(abs(given) + abs(found), vec3(1.0));
    deficit.held += select(vec3(1.0), vec3(0.0), is_free);
    deficit.mass += inertia + resistance;
    return deficit;
}

/// The velocity that makes up for what the invocations of a workgroup miss together, where it is worth mentioning
/// [m/s].
fn missing_velocity(own: MomentumDeficit, local: u32) -> vec3<f32> {
    let along_xy = sum_of_group(local, own.impulse.xy);
    let along_z = sum_of_group(local, vec2(own.impulse.z, own.turnover));
    let held_xy = sum_of_group(local, own.held.xy);
    let held_z = sum_of_group(local, vec2(own.held.z, own.mass.x));
    let mass_yz = sum_of_group(local, own.mass.yz);
    let is_held = vec3(held_xy, held_z.x) > vec3(0.0);
    let missing = select(vec3(along_xy, along_z.x), vec3(0.0), is_held);
    let most = max(max(abs(missing.x), abs(missing.y)), abs(missing.z));
    return select(vec3(0.0), missing / vec3(held_z.y, mass_yz), most > MISSED * along_z.y);
}
