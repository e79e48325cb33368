//! Warnings of wishes that have no effect, or leave nothing to be seen.

use pliant::render::Bounds;
use pliant::scene::{Picture, PictureColour, PictureSlice, PictureVolume};
use pliant::session::pictures::scale;

/// What there is to be seen.
pub struct There {
    /// Round all bodies in all pictures \[m\].
    pub bounds: Option<Bounds>,
    /// Least and greatest value, if they are known.
    pub extent: Option<[f32; 2]>,
}

/// What is to be said of the wishes in `picture`.
pub fn warnings(picture: &Picture, there: &There) -> Vec<String> {
    let extent = there.extent.map(|extent| extent.map(f64::from));
    let mut warnings = Vec::new();
    if let Some((range, extent)) = picture.range.zip(extent) {
        warnings.extend(range_warning(range, extent, &picture.colour));
    }
    let Some(volume) = &picture.volume else { return warnings };
    if let Some((slice, bounds)) = volume.slice.zip(there.bounds) {
        warnings.extend(slice_warning(slice, bounds));
    }
    for iso in &volume.iso {
        let is_beyond = |[low, high]: &[f64; 2]| !(*low..=*high).contains(&iso.value);
        if let Some(extent) = extent.filter(is_beyond) {
            let values = values(extent, &picture.colour);
            let at = number(iso.value);
            warnings.push(format!("there is no surface at {at}: {values}"));
        }
    }
    if is_unseen(volume) {
        warnings.push(
            "with an opacity of 0 and neither --iso nor --slice nothing is to be seen of the inside"
                .into(),
        );
    }
    warnings
}

fn is_unseen(volume: &PictureVolume) -> bool {
    let has_iso = volume.iso.iter().any(|iso| iso.opacity > 0.0);
    volume.opacity == 0.0 && volume.slice.is_none() && !has_iso
}

fn range_warning(range: [f64; 2], extent: [f64; 2], colour: &PictureColour) -> Option<String> {
    let is_apart = extent[1] < range[0] || extent[0] > range[1];
    is_apart.then(|| {
        let [low, high] = range.map(number);
        let values = values(extent, colour);
        format!("the range of colours, {low} to {high}, has none of the values: {values}")
    })
}

/// Compares the corners of the box with the plane.
fn slice_warning(slice: PictureSlice, bounds: Bounds) -> Option<String> {
    // Without a point it goes through the middle.
    let point = slice.point?;
    let height = |corner: usize| {
        let side = |k: usize| if corner >> k & 1 == 0 { bounds.min[k] } else { bounds.max[k] };
        (0..3).map(|k| slice.normal[k] * (side(k) - point[k])).sum::<f64>()
    };
    let problem = if (0..8).all(|corner| height(corner) > 0.0) {
        if slice.clears { "the slice takes everything away" } else { "the slice meets nothing" }
    } else if (0..8).all(|corner| height(corner) < 0.0) {
        "the slice meets nothing and has no effect"
    } else {
        return None;
    };
    let axes = (0..3).filter(|&k| slice.normal[k] != 0.0);
    let ways: Vec<String> = axes
        .map(|k| {
            let [low, high] = [bounds.min[k], bounds.max[k]].map(number);
            format!("from {} = {low} to {high} m", ["x", "y", "z"][k])
        })
        .collect();
    Some(format!("{problem}: the bodies reach {}", ways.join(", ")))
}

/// Which values there are.
fn values(extent: [f64; 2], colour: &PictureColour) -> String {
    let unit = scale::by_values(colour, [0.0, 1.0]).scale().map_or(String::new(), |s| s.unit);
    let [low, high] = extent.map(number);
    format!("those of {:?} are from {low} to {high} {unit}", colour.name()).trim_end().to_owned()
}

/// A number in few digits.
fn number(x: f64) -> String {
    let rounded: f64 = format!("{x:.4e}").parse().unwrap_or(x);
    let text = format!("{rounded:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use pliant::scene::PictureIso;

    use super::*;

    const THERE: There = There {
        bounds: Some(Bounds { min: [0.0, 0.0, -1.0], max: [0.2, 1.0, 1.0] }),
        extent: Some([0.0, 252.0]),
    };

    fn said(change: impl Fn(&mut Picture, &mut PictureVolume)) -> Vec<String> {
        let (mut picture, mut volume) = (Picture::default(), PictureVolume::default());
        picture.colour = PictureColour::Stress;
        change(&mut picture, &mut volume);
        picture.volume = Some(volume);
        warnings(&picture, &THERE)
    }

    fn slice(at: f64, normal: f64, clears: bool) -> Vec<String> {
        let (normal, point) = ([normal, 0.0, 0.0], Some([at, 9.0, 9.0]));
        said(|_, volume| volume.slice = Some(PictureSlice { normal, point, clears }))
    }

    #[test]
    fn slices_beside_the_bodies_are_told() {
        assert_eq!(slice(0.1, 1.0, true), [""; 0]);
        let all = "the slice takes everything away: the bodies reach from x = 0 to 0.2 m";
        assert_eq!(slice(-5.0, 1.0, true), [all]);
        assert_eq!(slice(1000.0, -1.0, true), [all]);
        for said in [slice(1000.0, 1.0, true), slice(-5.0, -1.0, true)] {
            assert!(said[0].contains("no effect") && said[0].contains("0 to 0.2 m"), "{said:?}");
        }
        assert!(slice(-5.0, 1.0, false)[0].contains("meets nothing"));
    }

    #[test]
    fn values_that_are_not_there_are_told() {
        let iso = |value| said(|_, volume| volume.iso = vec![PictureIso::new(value)]);
        assert_eq!(iso(252.0), [""; 0]);
        let want = "there is no surface at 1e30: those of \"stress\" are from 0 to 252 Pa";
        assert_eq!(iso(1e30), [want]);
        let range = |range| said(|picture, _| picture.range = Some(range));
        assert_eq!(range([100.0, 2000.0]), [""; 0]);
        let said = range([1000.0, 2000.0]);
        assert!(said[0].contains("1000 to 2000") && said[0].contains("0 to 252 Pa"), "{said:?}");
        // What is not known is not judged.
        let picture = Picture { range: Some([5.0, 6.0]), ..Picture::default() };
        assert_eq!(warnings(&picture, &There { bounds: None, extent: None }), [""; 0]);
    }

    #[test]
    fn nothing_to_be_seen_is_told() {
        let with = |iso: Vec<PictureIso>| {
            said(|_, volume| (volume.opacity, volume.iso) = (0.0, iso.clone()))
        };
        assert!(with(vec![])[0].contains("nothing is to be seen"));
        assert_eq!(with(vec![PictureIso::new(3.0)]), [""; 0]);
        assert_eq!(with(vec![PictureIso { opacity: 0.0, ..PictureIso::new(3.0) }]).len(), 1);
    }
}
