// After each cycle: what the sums mean, and what comes next. One workgroup. Twin of `search` in
// cpu/solve.rs.

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

fn total(first: u32, local: u32) -> vec2<f32> {
    var own = vec2(0.0);
    for (var n = local; n < sum_groups(step.slot_count); n += WORKGROUP) {
        own += partials[first + n];
    }
    return sum_of_group(local, own);
}

/// Begins a search, after the kernel `begin`.
@compute @workgroup_size(WORKGROUP)
fn open(@builtin(local_invocation_index) local: u32) {
    let sums = total(LEFT, local);
    if (local != 0u || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    search.phase = select(WARM, GIVEN, sums.x > 0.0);
    search.iterations = 0u;
    search.cycle = 0u;
    search.reference = sums.y;
}

/// Ends a cycle.
@compute @workgroup_size(WORKGROUP)
fn decide(@builtin(local_invocation_index) local: u32) {
    let along = total(ALONG, local).x;
    let sums = total(LEFT, local);
    if (local == 0u && search.phase != DONE) {
        search.cycle += 1u;
        next(along, sums.x, sums.y);
    }
}

fn next(along: f32, rz: f32, rr: f32) {
    switch search.phase {
        case GIVEN: {
            // What walls give belongs to the right-hand side.
            search.reference = max(search.reference, rr);
            search.phase = WARM;
        }
        case WARM: {
            if (rr <= search.reference) {
                start(rz, rr);
            } else {
                search.phase = COLD;
            }
        }
        case COLD: {
            start(rz, rr);
        }
        case SEARCH: {
            search.iterations += 1u;
            search.is_fresh = 0u;
            search.beta = rz / search.rz;
            search.rz = rz;
            // Where the matrix has no more digits, only the true residual can tell.
            if (is_end(rr) || along <= 0.0 || rz <= 0.0) {
                search.phase = CHECK;
            }
        }
        default: {
            if (is_end(rr) || rr > WORTHWHILE * search.last_true) {
                finish(rr);
            } else {
                set_out(rz, rr);
            }
        }
    }
}

fn start(rz: f32, rr: f32) {
    search.goal = step.implicit.z * step.implicit.z * search.reference;
    if (is_end(rr)) {
        finish(rr);
    } else {
        set_out(rz, rr);
    }
}

/// Searches from the true residual.
fn set_out(rz: f32, rr: f32) {
    search.phase = SEARCH;
    search.is_fresh = 1u;
    search.rz = rz;
    search.last_true = rr;
}

/// Whether there is nothing more to gain: compared as bits, since compilers may assume that numbers
/// are numbers.
fn is_end(rr: f32) -> bool {
    let is_finite = (bitcast<u32>(rr) & 0x7fffffffu) < 0x7f800000u;
    return rr <= search.goal || search.iterations >= step.flags.x || !is_finite;
}

fn finish(rr: f32) {
    var residual = 0.0;
    if (search.reference > 0.0) {
        residual = sqrt(rr / search.reference);
    }
    search.phase = DONE;
    search.systems += 1u;
    search.all_iterations += search.iterations;
    search.last_iterations = search.iterations;
    search.residual = residual;
    search.worst_residual = max(search.worst_residual, residual);
    search.unconverged += select(1u, 0u, rr <= search.goal);
    search.most_cycles = max(search.most_cycles, search.cycle);
}
