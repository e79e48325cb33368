//! A tree of boxes over elements, to find what is near a place without looking at everything.

/// So many elements are looked at one by one.
const LEAF: usize = 4;

/// A box along the axes \[m\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub low: [f64; 3],
    pub high: [f64; 3],
}

impl Extent {
    /// The least box round points; there is one at least.
    pub fn of(points: &[[f64; 3]]) -> Self {
        let first = Self { low: points[0], high: points[0] };
        points.iter().fold(first, |all, &p| all.union(Self { low: p, high: p }))
    }

    fn union(self, other: Self) -> Self {
        Self {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Square of the distance from a place to the box, 0 within \[m²\].
    pub fn square_to(&self, p: [f64; 3]) -> f64 {
        let beyond = |k: usize| (self.low[k] - p[k]).max(p[k] - self.high[k]).max(0.0);
        (0..3).map(|k| beyond(k).powi(2)).sum()
    }

    /// The middle, doubled: good for comparing.
    fn middle(&self, axis: usize) -> f64 {
        self.low[axis] + self.high[axis]
    }
}

/// A node: its box, and either two nodes or a few elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub extent: Extent,
    /// Its elements in [`BoxTree::order`].
    pub first: u32,
    pub count: u32,
    /// The second of its two nodes, the first of which follows it; 0 for a leaf.
    pub second: u32,
}

/// The tree. Which element goes where depends on the elements alone.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree {
    pub nodes: Vec<Node>,
    /// Numbers of the elements, those of a node in one piece.
    pub order: Vec<u32>,
}

impl BoxTree {
    /// A tree over elements with these boxes.
    pub fn new(extents: &[Extent]) -> Self {
        let order: Vec<u32> = (0..extents.len() as u32).collect();
        let mut tree = Self { nodes: Vec::with_capacity(extents.len()), order };
        if !extents.is_empty() {
            tree.split(extents, 0, extents.len());
        }
        tree
    }

    /// Adds the node of `count` elements, and all below it. Halves are equal, so that it is no deeper than
    /// the logarithm of their number, whatever the elements.
    fn split(&mut self, extents: &[Extent], first: usize, count: usize) -> u32 {
        let part = &mut self.order[first..first + count];
        let all = part.iter().map(|&e| extents[e as usize]).reduce(Extent::union);
        let Some(extent) = all else { return 0 };
        let number = self.nodes.len();
        self.nodes.push(Node { extent, first: first as u32, count: count as u32, second: 0 });
        if count > LEAF {
            let length = |k: &usize| extent.high[*k] - extent.low[*k];
            let axis = (0..3).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(0);
            let place = |e: &u32| extents[*e as usize].middle(axis);
            let half = count / 2;
            // Ties are broken by number, so that there is one order only.
            part.select_nth_unstable_by(half, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
            self.split(extents, first, half);
            self.nodes[number].second = self.split(extents, first + half, count - half);
        }
        number as u32
    }

    /// The element nearest to `p` by `square`, its squared distance \[m²\], and that; among equals the one met first.
    /// An element of no distance ends the search.
    pub fn nearest(&self, p: [f64; 3], mut square: impl FnMut(u32) -> f64) -> Option<(u32, f64)> {
        let mut best = None;
        let mut least = f64::INFINITY;
        let mut open: Vec<(f64, u32)> = Vec::with_capacity(64);
        open.extend(self.nodes.first().map(|root| (root.extent.square_to(p), 0)));
        while let Some((distance, number)) = open.pop() {
            if distance >= least {
                continue;
            }
            let node = &self.nodes[number as usize];
            if node.second == 0 {
                let from = node.first as usize;
                for &element in &self.order[from..from + node.count as usize] {
                    let distance = square(element);
                    if distance < least {
                        (best, least) = (Some((element, distance)), distance);
                    }
                }
                if least == 0.0 {
                    break;
                }
                continue;
            }
            let children = [number + 1, node.second];
            let [a, b] =
                children.map(|child| (self.nodes[child as usize].extent.square_to(p), child));
            // The nearer one is looked at first: it is on top.
            open.extend(if a.0 <= b.0 { [b, a] } else { [a, b] });
        }
        best
    }
}
