// The neighbours of a vertex and the blocks between them. Who imports this binds `step`, and as
// `lists` and `blocks` arrays of u32 and vec4<f32>.

#import pliant::step

/// Whether there are volume forces: then blocks are three rows, else they are q I + e eᵀ.
override VOLUMES: bool = false;

/// Where a vertex's pairs are in `lists`, and how far behind them the vertices at their other ends.
struct Neighbours {
    first: u32,
    end: u32,
    shift: u32,
}

fn neighbours(slot: u32) -> Neighbours {
    let slice = slot / SLICE;
    let shift = lists[step.slot_count / SLICE] - lists[0];
    return Neighbours(lists[slice] + slot % SLICE, lists[slice + 1u], shift);
}

/// A block as seen from one end.
struct Block {
    /// (e, q), or the first row.
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
    /// Whether the rows are columns.
    is_turned: bool,
}

/// The block of an entry `2·pair + end`.
fn block_of(entry: u32) -> Block {
    let pair = entry >> 1u;
    if (!VOLUMES) {
        return Block(blocks[pair], vec4(0.0), vec4(0.0), false);
    }
    let at = 3u * pair;
    return Block(blocks[at], blocks[at + 1u], blocks[at + 2u], (entry & 1u) == 1u);
}

/// The block times d.
fn times(block: Block, d: vec3<f32>) -> vec3<f32> {
    if (!VOLUMES) {
        return block.a.xyz * dot(block.a.xyz, d) + d * block.a.w;
    }
    if (block.is_turned) {
        return block.a.xyz * d.x + block.b.xyz * d.y + block.c.xyz * d.z;
    }
    return vec3(dot(block.a.xyz, d), dot(block.b.xyz, d), dot(block.c.xyz, d));
}

/// The block without what is not symmetric, which cancels at every vertex.
fn matrix_of(block: Block) -> mat3x3<f32> {
    let a = block.a;
    if (!VOLUMES) {
        let e = a.xyz;
        return mat3x3(
            e * e.x + vec3(a.w, 0.0, 0.0), e * e.y + vec3(0.0, a.w, 0.0), e * e.z + vec3(0.0, 0.0, a.w),
        );
    }
    let m = mat3x3(a.xyz, block.b.xyz, block.c.xyz);
    return 0.5 * (m + transpose(m));
}
