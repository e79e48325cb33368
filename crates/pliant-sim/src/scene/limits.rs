//! What numbers may be.

use std::fmt;

/// The numbers that are possible for a parameter. All must be finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limits {
    /// Every number.
    Any,
    /// 0 or greater.
    NotNegative,
    /// Greater than 0.
    Positive,
    /// Not below this, which is greater than 0; and why.
    AtLeast(f64, &'static str),
    /// Greater than 0, and this at most.
    UpTo(f64),
    /// From the first to the last.
    Between([f64; 2]),
    /// Whole numbers from the first to the last.
    Count([u32; 2]),
}

impl Limits {
    /// Whether all `numbers` of the parameter at `path` are possible; or what is wrong, and what to do,
    /// which may be empty.
    pub fn check(
        &self,
        path: &str,
        numbers: &[f64],
        unit: &str,
    ) -> Result<(), (String, &'static str)> {
        numbers.iter().try_for_each(|&number| {
            let (must_be, help) = self.demand(number, unit);
            if must_be.is_empty() {
                return Ok(());
            }
            Err((format!("`{path}` must be {must_be}"), help))
        })
    }

    /// What a number must be and is not; empty if it is.
    fn demand(&self, n: f64, unit: &str) -> (String, &'static str) {
        let told = |must_be: String, help| {
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            (format!("{must_be}, not {n}{unit}"), help)
        };
        match *self {
            _ if !n.is_finite() => (format!("finite, not {n}"), ""),
            Self::NotNegative if n < 0.0 => told("0 or greater".into(), ""),
            Self::Positive | Self::AtLeast(..) if n <= 0.0 => told("greater than 0".into(), ""),
            Self::AtLeast(least, why) if n < least => {
                (format!("at least {least:e} {unit}, not {n:e} {unit}"), why)
            }
            Self::UpTo(most) if !(n > 0.0 && n <= most) => {
                told(format!("greater than 0 and at most {most}"), "")
            }
            Self::Between([low, high]) if !(low..=high).contains(&n) => {
                told(format!("between {low} and {high}"), "")
            }
            Self::Count([least, most]) if !(f64::from(least)..=f64::from(most)).contains(&n) => {
                told(format!("{least} to {most}"), "")
            }
            _ => (String::new(), ""),
        }
    }
}

/// As in the tables of `docs/scenes.md`.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::NotNegative => f.write_str("≥ 0"),
            Self::Positive => f.write_str("> 0"),
            Self::AtLeast(least, _) => write!(f, "≥ {least:e}"),
            Self::UpTo(most) => write!(f, "> 0, ≤ {most}"),
            Self::Between([low, high]) => write!(f, "{low} to {high}"),
            Self::Count([least, most]) => write!(f, "{least} to {most}"),
        }
    }
}
