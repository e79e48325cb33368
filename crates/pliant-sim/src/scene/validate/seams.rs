//! Whether the numbers of seams make sense.

use std::collections::HashMap;

use super::Check;
use crate::scene::{OfSeam, Seam, suggest};

impl Check {
    pub(super) fn seams(&mut self, seams: &[Seam]) {
        let mut names = HashMap::new();
        for (i, seam) in seams.iter().enumerate() {
            let at = |key: &str| format!("seams[{i}].{key}");
            let name = seam.name.as_str();
            if name.is_empty() {
                self.fail(&at("name"), "a seam needs a name", "");
            } else if let Some(first) = names.insert(name, i) {
                let problem = format!("seams {first} and {i} are both called {name:?}");
                self.fail(&at("name"), problem, "give each seam its own name");
            }
            self.region(&at("from.region"), &seam.from.region);
            self.region(&at("to.region"), &seam.to.region);
            self.positive(&at("force"), &[seam.force], "N");
            self.positive(&at("time"), &[seam.time], "s");
            for (key, number, unit) in [
                ("tolerance", seam.tolerance, "m"),
                ("breaks", seam.breaks, "N"),
                ("within", seam.within, "m"),
            ] {
                number.iter().for_each(|number| self.positive(&at(key), &[*number], unit));
            }
        }
    }

    /// Whether there is such a seam.
    pub(super) fn of_seam(&mut self, path: &str, of: &OfSeam, seams: &[Seam]) {
        if !seams.iter().any(|seam| seam.name == of.seam) {
            let problem = format!("there is no seam {:?}", of.seam);
            let names: Vec<&str> = seams.iter().map(|seam| seam.name.as_str()).collect();
            self.fail(
                &format!("{path}.seam"),
                problem,
                &suggest(&of.seam, &names, "seams of the scene"),
            );
        }
    }
}
