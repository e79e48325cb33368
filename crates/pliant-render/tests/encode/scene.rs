//! Moving pictures made in code: a gradient, shaded balls that move and squash, thin lines, and
//! detail like text.

use pliant_render::Image;

/// The film's picture at a time \[s\].
pub fn picture(width: u32, height: u32, time: f32) -> Image {
    let mut image = Image::filled(width, height, [0, 0, 0, 255]);
    let scale = height as f32 / 720.0;
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (x as f32 / scale, y as f32 / scale);
            let colour = background(u, v, time).map(|c| c.clamp(0.0, 255.0) as u8);
            image.pixels[(y * width + x) as usize] = [colour[0], colour[1], colour[2], 255];
        }
    }
    for ball in 0..6 {
        draw_ball(&mut image, scale, ball, time);
    }
    image
}

fn background(u: f32, v: f32, time: f32) -> [f32; 3] {
    let floor = v > 520.0;
    let shade = if floor { 60.0 + (v - 520.0) * 0.3 } else { 190.0 - v * 0.15 };
    let mut colour = [shade * 0.85, shade * 0.95, shade * 1.05];
    // A grid on the floor, and a line that turns.
    if floor && (u as i32 % 64 == 0 || v as i32 % 40 == 0) {
        colour = [140.0; 3];
    }
    let (sin, cos) = (time * 0.7).sin_cos();
    if ((u - 1000.0) * sin + (v - 200.0) * cos).abs() < 1.0 {
        colour = [200.0, 30.0, 20.0];
    }
    // Strokes like letters, with a counter below that changes ten times a second.
    let (column, row) = ((u - 40.0) / 10.0, (v - 40.0) / 16.0);
    if (0.0..30.0).contains(&column) && (0.0..3.0).contains(&row) {
        let text = if row < 2.0 { 7 } else { (time * 10.0) as u32 };
        let seed = (column as u32 * 31 + row as u32 * 57 + text * 101).wrapping_mul(2_654_435_761);
        let (i, j) = ((column.fract() * 5.0) as u32, (row.fract() * 8.0) as u32);
        if i < 4 && j < 6 && seed >> (i + 4 * j) & 1 == 1 {
            colour = [20.0; 3];
        }
    }
    colour
}

fn draw_ball(image: &mut Image, scale: f32, ball: u32, time: f32) {
    let phase = ball as f32 * 1.7;
    let squash = 1.0 + 0.2 * (time * 3.0 + phase).sin();
    let x = 200.0 + 170.0 * ball as f32 + 60.0 * (time * 1.3 + phase).sin();
    let y = 430.0 - 200.0 * (time * 1.9 + phase).sin().abs();
    let radius = [90.0 * squash, 90.0 / squash];
    let bounds = |middle: f32, radius: f32, end: u32| {
        let low = ((middle - radius) * scale).max(0.0) as u32;
        low..(((middle + radius) * scale) as u32 + 1).min(end)
    };
    let tint = [[230, 90, 80], [90, 180, 220], [240, 200, 90], [130, 210, 120], [190, 120, 220]]
        [ball as usize % 5];
    for py in bounds(y, radius[1], image.height) {
        for px in bounds(x, radius[0], image.width) {
            let a = (px as f32 / scale - x) / radius[0];
            let b = (py as f32 / scale - y) / radius[1];
            let inside = 1.0 - a * a - b * b;
            if inside <= 0.0 {
                continue;
            }
            let depth = inside.sqrt();
            let light = (0.2 + 0.8 * (-0.4 * a - 0.6 * b + 0.7 * depth).max(0.0)).min(1.0);
            // A texture that is carried along and deforms.
            let rings = 1.0 + 0.12 * (14.0 * a).sin() * (11.0 * b).cos();
            let shine = (-0.4 * a - 0.6 * b + 0.7 * depth).max(0.0).powi(40) * 120.0;
            let pixel = tint.map(|c| (c as f32 * light * rings + shine).min(255.0) as u8);
            image.pixels[(py * image.width + px) as usize] = [pixel[0], pixel[1], pixel[2], 255];
        }
    }
}

/// Peak signal-to-noise ratio of brightness \[dB\]: colour is stored at half the resolution, whose
/// loss is not the encoder's.
pub fn psnr(a: &[[u8; 3]], b: &[[u8; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let luma = |c: &[u8; 3]| {
        0.2126 * f64::from(c[0]) + 0.7152 * f64::from(c[1]) + 0.0722 * f64::from(c[2])
    };
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (luma(a) - luma(b)).powi(2)).sum();
    10.0 * (255.0 * 255.0 * a.len() as f64 / squares.max(1e-9)).log10()
}

/// Without opacity.
pub fn opaque(image: &Image) -> Vec<[u8; 3]> {
    image.pixels.iter().map(|&[r, g, b, _]| [r, g, b]).collect()
}
