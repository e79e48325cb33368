// Moves keys and payloads to where their digit puts them, without changing the order of equals.
//
// After Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
// on radix sort: a block is sorted in workgroup memory first, so that what goes to memory goes
// there in runs.

#import pliant::grid
#import pliant::digit
#import pliant::group_scan

@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> payload: array<u32>;
/// Where the keys of each digit of each block begin.
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_payload: array<u32>;

/// Words of counters per invocation: two counters of 16 bits in each.
const WORDS: u32 = DIGITS / 2u;

/// First counters: word (digit modulo 8) of all invocations, then the next word. Later the block's
/// keys and payloads in their new order. Both take BLOCK words.
var<workgroup> block_words: array<u32, BLOCK>;
/// What leads from a place in the sorted block to a place in the sorted array, by digit.
var<workgroup> moves: array<u32, DIGITS>;

fn word_of(value: u32, invocation: u32) -> u32 {
    return (value % WORDS) * WORKGROUP + invocation;
}

fn half_of(value: u32) -> u32 {
    return 16u * (value / WORDS);
}

/// The counter of a digit at an invocation.
fn counter(value: u32, invocation: u32) -> u32 {
    return extractBits(block_words[word_of(value, invocation)], half_of(value), 16u);
}

/// Replaces the counters by how many keys of the block come before what they count.
fn scan_counters(local: u32) {
    var sum = 0u;
    for (var k = 0u; k < WORDS; k++) {
        let at = local * WORDS + k;
        let count = block_words[at];
        block_words[at] = sum;
        sum += count;
    }
    let scanned = scan_group(local, sum);
    // The digits of the upper halves follow all those of the lower ones.
    let before = scanned.x + (scanned.y << 16u);
    for (var k = 0u; k < WORDS; k++) {
        block_words[local * WORDS + k] += before;
    }
}

@compute @workgroup_size(WORKGROUP)
fn scatter(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group_index(workgroup, groups);
    if (block >= digit.blocks) {
        return;
    }
    let first = block * BLOCK + local * ITEMS;
    let mine = clamp(digit.length, first, first + ITEMS) - first;

    // Every invocation counts its own keys, and remembers how many equals came before each.
    for (var k = 0u; k < WORDS; k++) {
        block_words[k * WORKGROUP + local] = 0u;
    }
    var own: array<u32, ITEMS>;
    var place: array<u32, ITEMS>;
    for (var k = 0u; k < mine; k++) {
        own[k] = keys[first + k];
        let value = digit_of(own[k]);
        place[k] = counter(value, local);
        block_words[word_of(value, local)] += 1u << half_of(value);
    }
    workgroupBarrier();
    scan_counters(local);
    workgroupBarrier();

    for (var k = 0u; k < mine; k++) {
        place[k] += counter(digit_of(own[k]), local);
    }
    if (local < DIGITS) {
        moves[local] = offsets[local * digit.blocks + block] - counter(local, 0u);
    }
    workgroupBarrier();

    for (var k = 0u; k < mine; k++) {
        block_words[place[k]] = own[k];
    }
    workgroupBarrier();
    let full = min(digit.length - block * BLOCK, BLOCK);
    var target_index: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
        let i = k * WORKGROUP + local;
        if (i < full) {
            let key = block_words[i];
            target_index[k] = i + moves[digit_of(key)];
            sorted_keys[target_index[k]] = key;
        }
    }
    workgroupBarrier();

    for (var k = 0u; k < mine; k++) {
        block_words[place[k]] = payload[first + k];
    }
    workgroupBarrier();
    for (var k = 0u; k < ITEMS; k++) {
        let i = k * WORKGROUP + local;
        if (i < full) {
            sorted_payload[target_index[k]] = block_words[i];
        }
    }
}
