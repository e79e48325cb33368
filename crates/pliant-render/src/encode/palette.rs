//! The few colours of a GIF picture.

/// Colours in full.
pub type Colour = [u8; 3];

/// How much a difference in red, green and blue is seen.
const WEIGHTS: [i32; 3] = [2, 4, 3];

/// At most 255 colours, and the way to the nearest.
pub struct Palette {
    /// The colours.
    pub colours: Vec<Colour>,
    /// Colours looked up before, by a hash: the colour plus one, and its index.
    known: Vec<(u32, u8)>,
}

/// Colours that are nearly the same, together.
#[derive(Clone, Copy, Default)]
struct Cluster {
    count: f64,
    mean: [f64; 3],
}

impl Palette {
    /// The colours that represent `pixels` best.
    ///
    /// Begins with all colours in one box and cuts the box with the largest error at its mean, across
    /// its widest direction, until there are enough: Wu, "Efficient Statistical Computations for
    /// Optimal Color Quantization" (Graphics Gems II), but with plain cuts.
    pub fn new(pixels: impl Iterator<Item = Colour>) -> Self {
        let mut boxes = vec![Bin::new(clusters(pixels))];
        while boxes.len() < 255 {
            let worst = (0..boxes.len()).max_by(|&a, &b| boxes[a].error.total_cmp(&boxes[b].error));
            let Some(worst) = worst.filter(|&w| boxes[w].error > 0.0) else { break };
            let (left, right) = boxes.swap_remove(worst).cut();
            boxes.push(left);
            boxes.push(right);
        }
        let colours = boxes.iter().filter(|b| !b.members.is_empty()).map(Bin::colour).collect();
        Self { colours, known: vec![(0, 0); 1 << 16] }
    }

    /// The index of the nearest colour.
    pub fn nearest(&mut self, colour: Colour) -> u8 {
        let key = u32::from_be_bytes([0, colour[0], colour[1], colour[2]]) + 1;
        let slot = (key.wrapping_mul(0x9e37_79b1) >> 16) as usize;
        if self.known[slot].0 != key {
            let nearest = (0..self.colours.len())
                .min_by_key(|&i| distance(self.colours[i], colour))
                .unwrap_or(0);
            self.known[slot] = (key, nearest as u8);
        }
        self.known[slot].1
    }
}

/// Squared and weighted.
pub fn distance(a: Colour, b: Colour) -> i32 {
    (0..3).map(|k| WEIGHTS[k] * (i32::from(a[k]) - i32::from(b[k])).pow(2)).sum()
}

/// Sums pixels in cells of eight levels each way.
fn clusters(pixels: impl Iterator<Item = Colour>) -> Vec<Cluster> {
    let mut cells = vec![Cluster::default(); 1 << 15];
    for colour in pixels {
        let [r, g, b] = colour.map(|c| usize::from(c >> 3));
        let cell = &mut cells[r << 10 | g << 5 | b];
        cell.count += 1.0;
        for k in 0..3 {
            cell.mean[k] += f64::from(colour[k]);
        }
    }
    cells.retain(|cell| cell.count > 0.0);
    for cell in &mut cells {
        cell.mean = cell.mean.map(|sum| sum / cell.count);
    }
    cells
}

struct Bin {
    members: Vec<Cluster>,
    mean: [f64; 3],
    /// The direction in which colours differ most.
    axis: usize,
    /// Sum of squared distances along it.
    error: f64,
}

impl Bin {
    fn new(members: Vec<Cluster>) -> Self {
        let count: f64 = members.iter().map(|c| c.count).sum();
        let moment =
            |f: &dyn Fn(&Cluster) -> f64| -> f64 { members.iter().map(|c| c.count * f(c)).sum() };
        let mean = [0, 1, 2].map(|k| moment(&|c| c.mean[k]) / count.max(1.0));
        let errors =
            [0, 1, 2].map(|k| f64::from(WEIGHTS[k]) * moment(&|c| (c.mean[k] - mean[k]).powi(2)));
        let axis = (0..3).max_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
        let error = if members.len() > 1 { errors[axis] } else { 0.0 };
        Self { members, mean, axis, error }
    }

    fn cut(self) -> (Self, Self) {
        let (axis, middle) = (self.axis, self.mean[self.axis]);
        let (low, high) = self.members.into_iter().partition(|c| c.mean[axis] < middle);
        (Self::new(low), Self::new(high))
    }

    fn colour(&self) -> Colour {
        self.mean.map(|m| m.round() as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let colours = [[255, 255, 255], [0, 0, 0], [200, 10, 30], [12, 200, 99]];
        let mut palette = Palette::new(colours.iter().cycle().take(1000).copied());
        assert_eq!(palette.colours.len(), 4);
        for colour in colours {
            let i = palette.nearest(colour);
            assert_eq!(palette.colours[usize::from(i)], colour);
        }
    }

    #[test]
    fn a_gradient_is_cut_evenly() {
        let gradient = || (0..=255u8).flat_map(|v| (0..=255u8).map(move |w| [v, w / 2, 128]));
        let mut palette = Palette::new(gradient());
        assert_eq!(palette.colours.len(), 255);
        // 255 boxes over 256 by 128 levels are some 11 levels wide, so at most 7 to their corners.
        for colour in gradient() {
            let i = palette.nearest(colour);
            let found = palette.colours[usize::from(i)];
            assert!((0..3).all(|k| found[k].abs_diff(colour[k]) <= 16), "{colour:?} {found:?}");
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(Palette::new(std::iter::empty()).colours.is_empty());
    }
}
