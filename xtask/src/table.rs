//! Tables that are shown as Markdown while they grow, and kept as CSV.

use std::path::Path;

/// A column: what it is called in CSV, and what stands above it in Markdown.
pub type Column = (&'static str, &'static str);

/// A table.
pub struct Table {
    csv: String,
}

impl Table {
    /// Prints the head.
    pub fn new(columns: &[Column]) -> Self {
        let (names, titles): (Vec<_>, Vec<_>) = columns.iter().copied().unzip();
        println!("| {} |\n|{}", titles.join(" | "), "---|".repeat(columns.len()));
        Self { csv: names.join(",") + "\n" }
    }

    /// Prints a row, and keeps it. A cell may be empty and has no comma.
    pub fn add<const N: usize>(&mut self, cells: [String; N]) {
        self.csv += &(cells.join(",") + "\n");
        let shown = cells.map(|cell| if cell.is_empty() { "–".into() } else { cell });
        println!("| {} |", shown.join(" | "));
    }

    /// Writes it to a file, where one is wanted.
    pub fn save(&self, folder: Option<&Path>, name: &str) -> Result<(), String> {
        let Some(folder) = folder else { return Ok(()) };
        let path = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, &self.csv))
            .map_err(|e| format!("{} cannot be written: {e}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_as_csv() {
        let mut table = Table::new(&[("case", "case"), ("ms", "ms per step"), ("dy", "mean dy")]);
        table.add(["bar".into(), "1.5".into(), String::new()]);
        assert_eq!(table.csv, "case,ms,dy\nbar,1.5,\n");
        assert_eq!(table.save(None, "nowhere.csv"), Ok(()));
    }
}
