// Where rays enter bodies.

#import render::clouds

/// Where a ray enters.
struct Entry {
    depth: f32,
    face: u32,
}

const NO_ENTRY: Entry = Entry(NEVER, NONE);

fn is_before(a: Entry, b: Entry) -> bool {
    return a.depth < b.depth || (a.depth == b.depth && a.face < b.face);
}

/// The nearest entry behind another one.
fn next_entry(place: vec2<f32>, last: Entry) -> Entry {
    var best = NO_ENTRY;
    var index = 0u;
    while (index < cloud.counts.z) {
        // First to the next leaf, so that rays side by side test faces at the same time.
        var first = NONE;
        while (first == NONE && index < cloud.counts.z) {
            let node = nodes[index];
            let is_inside = all(place >= node.low.xy) && all(place <= node.high.xy);
            if (is_inside && node.high.z >= last.depth && node.low.z <= best.depth) {
                first = node.faces;
                index += 1u;
            } else {
                index = node.skip;
            }
        }
        if (first == NONE) {
            break;
        }
        for (var face = first; face < min(first + LEAF, cloud.counts.y); face++) {
            let found = crossing(place, faces[face]);
            let entry = Entry(found.depth, face);
            if (found.is_there && is_before(last, entry) && is_before(entry, best)) {
                best = entry;
            }
        }
    }
    return best;
}
