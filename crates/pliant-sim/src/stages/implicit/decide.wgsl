// After each cycle: what the sums mean, and what comes next. One workgroup. Twin of `search` in
// cpu/solve.rs, and of cpu/newton.rs.

#import pliant::grid
#import pliant::step
#import pliant::implicit::search
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> flags: array<u32>;
@group(0) @binding(1) var<storage, read> partials: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> search: Search;
@group(0) @binding(3) var<uniform> step: Step;

/// How much smaller the square of the true residual must become before a search that went astray is
/// taken up once more: below that, the precision of the numbers is used up.
const WORTHWHILE: f32 = 0.25;

/// How far the best part of a guess may be from all of it, for that to be taken.
const NEARLY: f32 = 0.1;

/// How steep the slope may be uphill at the end of a step along Δv, relative to what it was downhill.
const UPHILL: f32 = 0.5;
/// How often such a step is shortened at most.
const MOST_TRIALS: u32 = 12u;
/// The least part of it that a shortened one keeps.
const LEAST_PART: f32 = 0.1;
/// More than any slope.
const LARGE: f32 = 1e30;

/// How often it is asked at most what walls hold, how often the system is solved anew for friction
/// alone, and how much coarser it is solved while that is not known.
const MOST_REVISIONS: u32 = 24u;
const MOST_FRICTION_UPDATES: u32 = 16u;
const COARSE: f32 = 30.0;
const COARSE_LIMIT: f32 = 0.01;

/// The tolerance while it is not known what walls hold.
fn coarse() -> f32 {
    return max(min(COARSE * step.implicit.z, COARSE_LIMIT), step.implicit.z);
}

fn total(first: u32, local: u32) -> vec2<f32> {
    var own = vec2(0.0);
    for (var n = local; n < sum_groups(step.slot_count); n += WORKGROUP) {
        own += partials[first + n];
    }
    return sum_of_group(local, own);
}

/// Begins a search, after the kernel `begin`.
@compute @workgroup_size(WORKGROUP)
fn open_search(@builtin(local_invocation_index) local: u32) {
    let sums = total(RESIDUAL_SUMS, local);
    if (local != 0u || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    begin_search(select(WARM, PRESCRIBED, sums.x > 0.0), sums.y);
}

/// Begins Newton's iterations, after the kernel `keep_start`.
@compute @workgroup_size(WORKGROUP)
fn open_newton(@builtin(local_invocation_index) local: u32) {
    if (local != 0u || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    search.phase = FIRST;
    search.newton = 0u;
    search.rounds = 0u;
}

/// Ends the first part of a round of Newton's iterations, after the kernel `newton_residual`.
@compute @workgroup_size(WORKGROUP)
fn check_newton(@builtin(local_invocation_index) local: u32) {
    let sums = total(RESIDUAL_SUMS, local);
    let along = total(PRODUCT_SUMS, local);
    if (local != 0u || search.phase == DONE || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    search.rounds += 1u;
    if (search.phase == FIRST) {
        search.first = sums.y;
        balance(sums.x, sums.y, along.y);
    } else if (search.phase == LINE_SEARCH) {
        search.reached = search.part_of_step;
        // Of b, which points downhill.
        let uphill = -along.x;
        // What walls move may well lead uphill, and there is no other way.
        let has_choice = sums.x == 0.0;
        if (has_choice && search.downhill <= 0.0) {
            // Back, and no further.
            search.downhill = LARGE;
            search.part_of_step = 0.0;
            search.trial = MOST_TRIALS;
            search.newton = step.flags.y;
            return;
        }
        // Nor is there where forces are in balance, as far as numbers can tell.
        let is_taken = !has_choice || sums.y <= along.y || uphill <= UPHILL * search.downhill;
        if (is_taken || search.trial >= MOST_TRIALS) {
            search.newton += 1u;
            balance(0.0, sums.y, along.y);
            return;
        }
        let crossing = search.downhill / (search.downhill + uphill);
        search.part_of_step *= select(LEAST_PART, max(crossing, LEAST_PART), is_number(uphill));
        search.trial += 1u;
    }
}

/// What an imbalance means.
fn balance(contacts: f32, square: f32, noise: f32) {
    search.balance = 0.0;
    if (search.first > 0.0) {
        search.balance = sqrt(square / search.first);
    }
    // Loads that move a body as a whole may be smaller than what rounding does to the forces inside it,
    // so the first system is solved in any case; and smaller than what the tolerance leaves of a first
    // imbalance, so rounding excuses nothing before the second.
    let is_small = search.newton > 0u && search.balance <= step.coefficients.x;
    let is_balanced = is_small || (search.newton > 1u && square <= noise);
    search.is_balanced = select(0u, 1u, is_balanced);
    if (is_balanced || search.newton >= step.flags.y) {
        end_newton();
    } else if (search.newton > 0u) {
        begin_search(FRESH, square);
    } else {
        begin_search(select(WARM, PRESCRIBED, contacts > 0.0), square);
    }
}

/// Newton's iterations end here.
fn end_newton() {
    search.phase = DONE;
    search.imbalance = search.balance;
    search.unbalanced += 1u - search.is_balanced;
    search.most_rounds = max(search.most_rounds, search.rounds);
}

fn begin_search(phase: u32, square: f32) {
    search.substep = step.substep;
    search.phase = phase;
    search.iterations = 0u;
    search.cycle = 0u;
    search.reference = square;
    search.revision = 0u;
    search.so_far = 0u;
    search.has_prescribed = select(0u, 1u, phase == PRESCRIBED);
    search.tolerance = select(step.implicit.z, coarse(), phase == PRESCRIBED);
}

/// Ends a cycle.
@compute @workgroup_size(WORKGROUP)
fn decide(@builtin(local_invocation_index) local: u32) {
    let along = total(PRODUCT_SUMS, local);
    let sums = total(RESIDUAL_SUMS, local);
    let is_asked = search.phase != DONE && search.phase <= RESUME && search.substep == step.substep;
    if (local == 0u && is_asked) {
        search.cycle += 1u;
        next(along, sums.x, sums.y);
    }
}

/// `along` are p·Ap and, where p is Δv, Δv·b.
fn next(along: vec2<f32>, rz: f32, rr: f32) {
    switch search.phase {
        case PRESCRIBED: {
            // What walls prescribe belongs to the right-hand side.
            search.reference = max(search.reference, rr);
            search.phase = WARM;
        }
        case WARM: {
            // With what walls prescribe, the energy of the guess alone is not known.
            let all_or_nothing = select(0.0, 1.0, rr <= search.reference);
            search.share = select(share_of_guess(along), all_or_nothing, search.has_prescribed != 0u);
            if (search.share == 1.0) {
                start_iterations(rz, rr, along.y);
            } else {
                search.phase = COLD;
            }
        }
        case COLD, FRESH: {
            start_iterations(rz, rr, along.y);
        }
        case REVISE: {
            // Instead of r·z, how many vertices are held in another way.
            check_walls(rz > 0.0, rr, along.y);
        }
        case RESUME: {
            search.reference = max(search.reference, rr);
            start_iterations(rz, rr, along.y);
        }
        case SEARCH: {
            search.iterations += 1u;
            search.is_fresh = 0u;
            search.beta = rz / search.rz;
            search.rz = rz;
            // Where the matrix has no more digits, only the true residual can tell.
            if (is_end(rr) || along.x <= 0.0 || rz <= 0.0) {
                search.phase = CHECK;
            }
        }
        default: {
            if (is_end(rr) || rr > WORTHWHILE * search.last_true) {
                end(rr, along.y);
            } else {
                restart_iterations(rz, rr);
            }
        }
    }
}

/// How much of a guess g to begin with: as much as brings the energy ½ g·Ag − g·r of the system down most,
/// so that a search that ends early cannot give energy to a body. Given are g·Ag and g·r; a guess that is
/// nearly right is taken as it is.
fn share_of_guess(along: vec2<f32>) -> f32 {
    if (along.x == 0.0 || abs(along.y - along.x) <= NEARLY * along.x) {
        return 1.0;
    }
    let share = along.y / along.x;
    return select(0.0, share, along.x > 0.0 && share > 0.0);
}

fn start_iterations(rz: f32, rr: f32, slope: f32) {
    search.goal = search.tolerance * search.tolerance * search.reference;
    if (is_end(rr)) {
        end(rr, slope);
    } else {
        restart_iterations(rz, rr);
    }
}

/// Searches from the true residual.
fn restart_iterations(rz: f32, rr: f32) {
    search.phase = SEARCH;
    search.is_fresh = 1u;
    search.rz = rz;
    search.last_true = rr;
}

/// Whether there is nothing more to gain.
fn is_end(rr: f32) -> bool {
    return rr <= search.goal || search.iterations >= step.flags.x || !is_number(rr);
}

/// Compared as bits, since compilers may assume that numbers are numbers.
fn is_number(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u;
}

/// The end of conjugate gradients: asks what walls hold, if there are any.
fn end(rr: f32, slope: f32) {
    if ((step.flags.z & HAS_OBSTACLES) != 0u && search.revision < MOST_REVISIONS) {
        search.phase = REVISE;
        search.last_true = rr;
    } else {
        finish(rr, slope);
    }
}

/// What comes after the question what walls hold.
fn check_walls(has_changed: bool, rr: f32, slope: f32) {
    let is_fine = search.tolerance == step.implicit.z;
    if (!has_changed && is_fine) {
        finish(rr, slope);
        return;
    }
    if (!has_changed || search.revision >= MOST_FRICTION_UPDATES) {
        search.tolerance = step.implicit.z;
    }
    search.revision += 1u;
    search.so_far += search.iterations;
    search.iterations = 0u;
    search.phase = RESUME;
}

/// The end of a system; `slope` is Δv·b.
fn finish(rr: f32, slope: f32) {
    var residual = 0.0;
    if (search.reference > 0.0) {
        residual = sqrt(rr / search.reference);
    }
    search.phase = DONE;
    search.systems += 1u;
    search.all_iterations += search.so_far + search.iterations;
    search.last_iterations = search.so_far + search.iterations;
    search.residual = residual;
    search.worst_residual = max(search.worst_residual, residual);
    let has_more = search.iterations < step.flags.x && is_number(rr);
    search.limited += select(0u, 1u, has_more && rr > search.goal);
    search.unconverged += select(1u, 0u, has_more || rr <= search.goal);
    search.most_cycles = max(search.most_cycles, search.cycle);
    if (step.flags.y == 0u) {
        return;
    }
    search.phase = LINE_SEARCH;
    search.trial = 0u;
    search.downhill = select(0.0, slope, is_number(slope));
    search.reached = 0.0;
    search.part_of_step = 1.0;
}
