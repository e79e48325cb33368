//! Many pictures on one.

use crate::Image;

/// White space between pictures \[pixels\].
const GAP: usize = 4;

/// Puts pictures side by side, `columns` in a row, from the top left, on white. Cells are as large as
/// the largest picture; smaller ones lie in the middle. No pictures give a picture of no pixels.
pub fn contact_sheet(images: &[Image], columns: usize) -> Image {
    let columns = columns.clamp(1, images.len().max(1));
    let rows = images.len().div_ceil(columns);
    let largest = |side: fn(&Image) -> u32| images.iter().map(side).max().unwrap_or(0) as usize;
    let cell = [largest(|i| i.width), largest(|i| i.height)];
    let length = |cells: usize, side: usize| (cells * (side + GAP)).saturating_sub(GAP) as u32;
    let size =
        if images.is_empty() { [0, 0] } else { [length(columns, cell[0]), length(rows, cell[1])] };
    let mut sheet = Image::filled(size[0], size[1], [255; 4]);
    for (i, image) in images.iter().enumerate() {
        let size = [image.width as usize, image.height as usize];
        let place = [i % columns, i / columns];
        let [x, y] = [0, 1].map(|k| place[k] * (cell[k] + GAP) + (cell[k] - size[k]) / 2);
        if size[0] == 0 {
            continue;
        }
        for (row, pixels) in image.pixels.chunks_exact(size[0]).take(size[1]).enumerate() {
            let start = (y + row) * sheet.width as usize + x;
            sheet.pixels[start..start + size[0]].copy_from_slice(pixels);
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_where_they_belong() {
        let colours = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]];
        let mut images: Vec<Image> = colours.iter().map(|&c| Image::filled(6, 4, c)).collect();
        images[2] = Image::filled(2, 2, colours[2]);
        let sheet = contact_sheet(&images, 2);
        assert_eq!([sheet.width, sheet.height], [16, 12]);
        assert_eq!([sheet.at(0, 0), sheet.at(10, 3), sheet.at(2, 9)], colours);
        assert_eq!([sheet.at(7, 0), sheet.at(1, 9), sheet.at(12, 9)], [[255; 4]; 3]);
        assert_eq!(contact_sheet(&images, 0).height, 20);
        assert_eq!(contact_sheet(&[], 3).pixels.len(), 0);
    }
}
