//! Timing that shrugs off the occasional disturbance.

use std::time::{Duration, Instant};

/// Median time of one call of `batch(n)` divided by `n`, over about `seconds`; batches last some
/// ten milliseconds each.
pub fn median_seconds<E>(
    seconds: f64,
    mut batch: impl FnMut(u64) -> Result<(), E>,
) -> Result<f64, E> {
    batch(3)?;
    let once = Instant::now();
    batch(1)?;
    let count = (0.01 / once.elapsed().as_secs_f64().max(1e-7)).ceil().clamp(1.0, 1e6) as u64;
    let (start, mut samples) = (Instant::now(), Vec::new());
    while samples.len() < 3 || start.elapsed() < Duration::from_secs_f64(seconds) {
        let lap = Instant::now();
        batch(count)?;
        samples.push(lap.elapsed().as_secs_f64() / count as f64);
    }
    samples.sort_by(f64::total_cmp);
    Ok(samples[samples.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_about_what_a_call_takes() {
        let nap = |n: u64| -> Result<(), ()> {
            std::thread::sleep(Duration::from_millis(n));
            Ok(())
        };
        let measured = median_seconds(0.1, nap).unwrap();
        assert!(measured >= 1e-3, "{measured}");
        assert_eq!(median_seconds(0.1, |_| Err(7)), Err(7));
    }
}
