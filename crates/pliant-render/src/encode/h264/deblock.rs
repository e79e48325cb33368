//! Smoothing the seams between blocks, as the decoder will (H.264, section 8.7).

use super::slice::Macroblock;
use super::transform::chroma_qp;

const ALPHA: [u8; 36] = [
    4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80,
    90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255,
];
const BETA: [u8; 36] = [
    2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14,
    15, 15, 16, 16, 17, 17, 18, 18,
];
/// The largest change by parameter from 17 and by strength 1 to 3.
const LIMIT: [[u8; 3]; 35] = [
    [0, 0, 1],
    [0, 0, 1],
    [0, 0, 1],
    [0, 0, 1],
    [0, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
    [1, 1, 1],
    [1, 1, 1],
    [1, 1, 1],
    [1, 1, 2],
    [1, 1, 2],
    [1, 1, 2],
    [1, 1, 2],
    [1, 2, 3],
    [1, 2, 3],
    [2, 2, 3],
    [2, 2, 4],
    [2, 3, 4],
    [2, 3, 4],
    [3, 3, 5],
    [3, 4, 6],
    [3, 4, 6],
    [4, 5, 7],
    [4, 5, 8],
    [4, 6, 9],
    [5, 7, 10],
    [6, 8, 11],
    [6, 8, 13],
    [7, 10, 14],
    [8, 11, 16],
    [9, 12, 18],
    [10, 13, 20],
    [11, 15, 23],
    [13, 17, 25],
];

/// How strongly one parameter smooths.
struct Filter {
    alpha: i32,
    beta: i32,
    limit: [i32; 3],
    luma: bool,
}

impl Filter {
    /// Nothing for parameters so fine that seams cannot show.
    fn new(qp: i32, luma: bool) -> Option<Self> {
        let i = usize::try_from(qp - 16).ok()?;
        let limit = if i == 0 { [0; 3] } else { LIMIT[i - 1].map(i32::from) };
        Some(Self { alpha: ALPHA[i].into(), beta: BETA[i].into(), limit, luma })
    }

    /// Smooths across one seam: `at` is the first sample behind it, `step` leads away from it.
    fn apply(&self, samples: &mut [u8], at: usize, step: usize, strength: u8) {
        let get = |k: isize| i32::from(samples[at.wrapping_add_signed(k * step as isize)]);
        let [p1, p0, q0, q1] = [get(-2), get(-1), get(0), get(1)];
        if (p0 - q0).abs() >= self.alpha
            || (p1 - p0).abs() >= self.beta
            || (q1 - q0).abs() >= self.beta
        {
            return;
        }
        let mut new = [p1, p0, q0, q1];
        if !self.luma {
            if strength == 4 {
                new = [p1, (2 * p1 + p0 + q1 + 2) >> 2, (2 * q1 + q0 + p1 + 2) >> 2, q1];
            } else {
                let tc = self.limit[usize::from(strength) - 1] + 1;
                let delta = ((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3).clamp(-tc, tc);
                new = [p1, p0 + delta, q0 - delta, q1];
            }
        } else {
            let (p2, q2) = (get(-3), get(2));
            let (flat_p, flat_q) = ((p2 - p0).abs() < self.beta, (q2 - q0).abs() < self.beta);
            if strength == 4 {
                let (p3, q3) = (get(-4), get(3));
                let near = (p0 - q0).abs() < (self.alpha >> 2) + 2;
                let side = |flat: bool, [a3, a2, a1, a0, b0, b1]: [i32; 6]| {
                    if flat && near {
                        [
                            (a2 + 2 * a1 + 2 * a0 + 2 * b0 + b1 + 4) >> 3,
                            (a2 + a1 + a0 + b0 + 2) >> 2,
                            (2 * a3 + 3 * a2 + a1 + a0 + b0 + 4) >> 3,
                        ]
                    } else {
                        [(2 * a1 + a0 + b1 + 2) >> 2, a1, a2]
                    }
                };
                let p = side(flat_p, [p3, p2, p1, p0, q0, q1]);
                let q = side(flat_q, [q3, q2, q1, q0, p0, p1]);
                samples[at - 3 * step] = p[2] as u8;
                samples[at + 2 * step] = q[2] as u8;
                new = [p[1], p[0], q[0], q[1]];
            } else {
                let tc0 = self.limit[usize::from(strength) - 1];
                let tc = tc0 + i32::from(flat_p) + i32::from(flat_q);
                let delta = ((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3).clamp(-tc, tc);
                let middle = (p0 + q0 + 1) >> 1;
                if flat_p {
                    new[0] = p1 + ((p2 + middle - 2 * p1) >> 1).clamp(-tc0, tc0);
                }
                if flat_q {
                    new[3] = q1 + ((q2 + middle - 2 * q1) >> 1).clamp(-tc0, tc0);
                }
                (new[1], new[2]) = (p0 + delta, q0 - delta);
            }
        }
        for (k, value) in new.into_iter().enumerate() {
            samples[at + k * step - 2 * step] = value.clamp(0, 255) as u8;
        }
    }
}

/// How strongly to smooth between two 4×4 blocks: 0 not at all, 4 most.
fn strength(a: (&Macroblock, usize), b: (&Macroblock, usize), same: bool) -> u8 {
    if !a.0.inter || !b.0.inter {
        return if same { 3 } else { 4 };
    }
    if a.0.luma[a.1] > 0 || b.0.luma[b.1] > 0 {
        return 2;
    }
    let far = (0..2).any(|k| (a.0.vector[k] - b.0.vector[k]).abs() >= 4);
    u8::from(far)
}

/// Smooths all seams inside a slice; those to other slices stay, so that slices are independent.
pub fn smooth(planes: &mut [&mut [u8]; 3], blocks: &[Macroblock], columns: usize, qp: i32) {
    let filters = [Filter::new(qp, true), Filter::new(chroma_qp(qp), false)];
    for (i, block) in blocks.iter().enumerate() {
        let (column, row) = (i % columns, i / columns);
        let left = (column > 0).then(|| &blocks[i - 1]);
        let above = (row > 0).then(|| &blocks[i - columns]);
        for (vertical, before) in [(true, left), (false, above)] {
            for edge in 0..4 {
                // Block k along the seam, and the one before it.
                let strengths: [u8; 4] = std::array::from_fn(|k| {
                    let index = |e: usize| if vertical { e + 4 * k } else { k + 4 * e };
                    let here = (block, index(edge));
                    match (edge, before) {
                        (0, None) => 0,
                        (0, Some(other)) => strength((other, index(3)), here, false),
                        _ => strength((block, index(edge - 1)), here, true),
                    }
                });
                if strengths != [0; 4] {
                    seam(planes, &filters, [column, row], columns, (vertical, edge), strengths);
                }
            }
        }
    }
}

fn seam(
    planes: &mut [&mut [u8]; 3],
    filters: &[Option<Filter>; 2],
    [column, row]: [usize; 2],
    columns: usize,
    (vertical, edge): (bool, usize),
    strengths: [u8; 4],
) {
    for (p, samples) in planes.iter_mut().enumerate() {
        let size = if p == 0 { 16 } else { 8 };
        let Some(filter) = &filters[p.min(1)] else { continue };
        if p > 0 && edge % 2 == 1 {
            continue;
        }
        let stride = columns * size;
        let corner = row * size * stride + column * size;
        let (step, along) = if vertical { (1, stride) } else { (stride, 1) };
        let start = corner + edge * size / 4 * step;
        for k in 0..size {
            let strength = strengths[k * 4 / size];
            if strength > 0 {
                filter.apply(samples, start + k * along, step, strength);
            }
        }
    }
}
