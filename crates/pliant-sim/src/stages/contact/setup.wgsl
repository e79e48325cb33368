// What the kernels of contact know besides the step: twin of gpu/setup.rs.

/// What is the same for all kernels of a stretch.
struct Setup {
    /// Vertices, edges and triangles that may touch; pairs that there is room for.
    counts: vec4<u32>,
    /// Where vertices, edges, triangles and slots begin in `surface`.
    places: vec4<u32>,
    /// Where neighbours of vertices and bodies begin there; levels of the trees.
    more: vec4<u32>,
    /// Length of a substep [s].
    times: vec4<f32>,
    /// Of each level of the trees of triangles and of edges: where its boxes begin, and how many there are.
    levels: array<vec4<u32>, 8>,
}

/// What a dispatch is to do.
struct Phase {
    /// Which of the things that its kernel can do.
    mode: u32,
    /// A level of the trees.
    level: u32,
    /// How many evaluations of forces come before it in its substep.
    evaluation: u32,
    unused: u32,
}

// Places in the buffer `control`.

/// Whether candidates must be searched for.
const STALE: u32 = 0u;
/// Which of the two lists is the present one.
const LIST: u32 = 1u;
/// Pairs in it.
const COUNT: u32 = 2u;
/// Searches so far.
const SEARCHES: u32 = 3u;
/// Rows that push.
const CONTACTS: u32 = 4u;
/// Whether the search was in this evaluation.
const IS_NEW: u32 = 5u;
/// The evaluation in which a substep could not go on.
const EVALUATION: u32 = 6u;

// Modes of the vote, whether candidates are still good.

/// A search is recorded behind it.
const MAY_SEARCH: u32 = 0u;
/// There is none, and a substep that needs one waits for the host.
const WAITS: u32 = 1u;
/// The search is due, whoever has moved.
const SEARCHES_ANYWAY: u32 = 2u;

// Modes of the walk through the trees.

const COUNTS: u32 = 0u;
const FILLS: u32 = 1u;

// Modes of adding up.

/// How many rows there are is not known yet.
const COUNTS_ROWS: u32 = 0u;

// Modes of improving.

/// Counts those that push.
const IS_LAST: u32 = 1u;
