// How arrays are cut into blocks, one per workgroup.

#import pliant::grid

/// Elements per invocation.
const ITEMS: u32 = 8u;
/// Elements per workgroup.
const BLOCK: u32 = WORKGROUP * ITEMS;
