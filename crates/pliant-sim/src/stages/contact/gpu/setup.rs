//! What the kernels of contact know besides the step: twin of setup.wgsl.

/// Most levels of a tree: sixteen to the eighth primitives.
pub const LEVELS: usize = 8;

/// What is the same for all kernels of a stretch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Setup {
    /// Vertices, edges and triangles that may touch; pairs that there is room for.
    pub counts: [u32; 4],
    /// Where vertices, edges, triangles and slots begin in the table of the surface.
    pub places: [u32; 4],
    /// Where neighbours of vertices and bodies begin there; levels of the trees.
    pub more: [u32; 4],
    /// Length of a substep \[s\], and [`Model::skin`](crate::model::Model).
    pub times: [f32; 4],
    /// Of each level of the trees of triangles and of edges: where its boxes begin, and how many there are.
    pub levels: [[u32; 4]; LEVELS],
}

/// What a dispatch is to do.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Phase {
    /// Which of the things that its kernel can do.
    pub mode: u32,
    /// A level of the trees.
    pub level: u32,
    /// How many evaluations of forces come before it in its substep.
    pub evaluation: u32,
    unused: u32,
}

/// A [`Phase`] in an array of uniforms, whose elements begin at multiples of 256 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PhaseRecord {
    phase: Phase,
    padding: [[u32; 30]; 2],
}

/// Modes of the vote, whether candidates are still good: a search is recorded behind it; there is none; it is due.
pub const MAY_SEARCH: u32 = 0;
pub const WAITS: u32 = 1;
pub const SEARCHES_ANYWAY: u32 = 2;
/// Modes of the walk through the trees.
pub const COUNTS: u32 = 0;
pub const FILLS: u32 = 1;
/// Modes of adding up: how many rows there are is not known yet, or it is.
pub const COUNTS_ROWS: u32 = 0;
pub const KNOWS_ROWS: u32 = 1;
/// Modes of improving: rows that push are counted in the last iteration.
pub const IS_BEFORE: u32 = 0;
pub const IS_LAST: u32 = 1;

/// Modes of any kernel, and evaluations of forces in a substep.
const MODES: u32 = 3;
const EVALUATIONS: u32 = 4;

/// All phases there are: every mode of every evaluation, then every level.
pub fn phases() -> Vec<PhaseRecord> {
    let modes = (0..EVALUATIONS).flat_map(|evaluation| {
        (0..MODES).map(move |mode| Phase { mode, evaluation, ..Phase::default() })
    });
    let levels = (0..LEVELS as u32).map(|level| Phase { level, ..Phase::default() });
    let record = |phase| PhaseRecord { phase, padding: [[0; 30]; 2] };
    modes.chain(levels).map(record).collect()
}

/// Where the phase of a mode begins \[bytes\].
pub fn offset_of_mode(mode: u32, evaluation: u32) -> u32 {
    (MODES * evaluation + mode) * size_of::<PhaseRecord>() as u32
}

/// Where the phase of a level begins \[bytes\].
pub fn offset_of_level(level: usize) -> u32 {
    (MODES * EVALUATIONS + level as u32) * size_of::<PhaseRecord>() as u32
}

/// What the kernels decide by, and count.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Control {
    /// Whether candidates must be searched for.
    pub is_stale: u32,
    /// Which of the two lists is the present one.
    pub list: u32,
    /// Pairs in it.
    pub count: u32,
    /// Searches so far.
    pub searches: u32,
    /// Rows that push.
    pub contacts: u32,
    /// Whether the search was in this evaluation.
    pub is_new: u32,
    /// The evaluation in which a substep could not go on.
    pub evaluation: u32,
    /// Nothing.
    pub unused: u32,
}

/// Words of a [`Control`].
pub const CONTROL: usize = size_of::<Control>() / 4;
