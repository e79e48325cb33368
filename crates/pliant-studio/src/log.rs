//! What was told, kept for reading.

use std::collections::VecDeque;

use pliant_session::Message;

/// Entries that are kept; the oldest go first, and it is said how many.
const MOST: usize = 500;

/// How grave an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Good to know.
    Note,
    /// May be a mistake.
    Warning,
    /// Something did not work.
    Error,
}

/// One thing that was told.
#[derive(Clone, Debug)]
pub struct Entry {
    /// How grave it is.
    pub grade: Grade,
    /// What was told.
    pub text: String,
    /// How many times in a row.
    pub count: usize,
}

/// Everything that was told, oldest first.
#[derive(Debug, Default)]
pub struct Log {
    entries: VecDeque<Entry>,
    forgotten: usize,
    /// Warnings and errors that nobody has looked at yet.
    pub unread: usize,
}

impl Log {
    /// Adds an entry.
    pub fn add(&mut self, grade: Grade, text: impl Into<String>) {
        let text = text.into();
        if grade > Grade::Note {
            self.unread += 1;
        }
        match self.entries.back_mut() {
            Some(last) if last.text == text && last.grade == grade => return last.count += 1,
            _ => {}
        }
        if self.entries.len() == MOST {
            self.entries.pop_front();
            self.forgotten += 1;
        }
        self.entries.push_back(Entry { grade, text, count: 1 });
    }

    /// Adds what a simulation told.
    pub fn add_message(&mut self, message: &Message) {
        let grade = match message {
            Message::Note(_) => Grade::Note,
            Message::Warning(_) => Grade::Warning,
            Message::Diverged(_) => Grade::Error,
        };
        self.add(grade, message.to_string());
    }

    /// All entries that are kept.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.entries.iter()
    }

    /// Entries that were not kept.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_entries_are_counted_and_old_ones_are_said_to_be_gone() {
        let mut log = Log::default();
        log.add(Grade::Warning, "a");
        log.add(Grade::Warning, "a");
        assert_eq!(log.entries().map(|e| e.count).collect::<Vec<_>>(), [2]);
        for i in 0..MOST + 5 {
            log.add(Grade::Note, i.to_string());
        }
        assert_eq!((log.entries().len(), log.forgotten(), log.unread), (MOST, 6, 2));
    }
}
