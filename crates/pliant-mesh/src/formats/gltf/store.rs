//! The numbers behind accessors, each decoded once however often it is used.

use std::collections::HashMap;
use std::sync::Arc;

use super::accessor::{self, Use};
use super::buffers::Buffers;
use super::document::Document;
use super::scene::MAX_REPEATED;
use crate::{ReadError, Result};

/// Decoded accessors of one file.
pub(super) struct Store<'a, 'b> {
    pub(super) document: &'a Document,
    buffers: &'a mut Buffers<'b>,
    /// All numbers of an accessor, by its number, how many make an element, and what they are.
    decoded: HashMap<(usize, usize, Use), Arc<[f64]>>,
    /// How many numbers these are.
    total: usize,
}

impl<'a, 'b> Store<'a, 'b> {
    pub(super) fn new(document: &'a Document, buffers: &'a mut Buffers<'b>) -> Self {
        Self { document, buffers, decoded: HashMap::new(), total: 0 }
    }

    /// The numbers of an accessor whose elements have `N` of them; `what` names it in errors.
    pub(super) fn read<const N: usize>(
        &mut self,
        accessor: usize,
        usage: Use,
        what: &str,
    ) -> Result<Arc<[f64]>> {
        let key = (accessor, N, usage);
        if let Some(numbers) = self.decoded.get(&key) {
            return Ok(numbers.clone());
        }
        let elements: Vec<[f64; N]> =
            accessor::read(self.document, self.buffers, accessor, usage, what)?;
        let numbers = elements.into_flattened();
        if let Some(i) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(ReadError::file(format!(
                "accessor {accessor} ({what}): element {} is not finite",
                i / N
            ))
            .help("Export it again: no viewer can show it as it is"));
        }
        self.count(numbers.len())?;
        let numbers: Arc<[f64]> = numbers.into();
        self.decoded.insert(key, numbers.clone());
        Ok(numbers)
    }

    /// Accessors may overlap, or have no bytes behind them: a small file could ask for any number of
    /// numbers.
    fn count(&mut self, more: usize) -> Result<()> {
        self.total += more;
        let limit = (3 * MAX_REPEATED).max(2 * self.buffers.open_bytes());
        if self.total <= limit {
            return Ok(());
        }
        Err(ReadError::file(format!("its animations have more than {limit} numbers"))
            .help("Split it, or remove morph targets and keys that are not needed"))
    }
}
