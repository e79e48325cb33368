//! Reading binary files, with byte offsets for errors.

use crate::{Place, ReadError, Result};

/// Byte order of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Walks over a binary buffer; never reads behind its end.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
    endian: Endian,
}

macro_rules! number {
    ($($name:ident: $type:ty),*) => { $(
        #[doc = concat!("Reads one `", stringify!($type), "`; `what` names it in the error.")]
        pub fn $name(&mut self, what: &str) -> Result<$type> {
            const N: usize = size_of::<$type>();
            let raw: [u8; N] = self.take(N, what)?.try_into().expect("take gives what was asked");
            Ok(match self.endian {
                Endian::Little => <$type>::from_le_bytes(raw),
                Endian::Big => <$type>::from_be_bytes(raw),
            })
        }
    )* };
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte of `bytes`, which stands at offset `base` of the file.
    pub fn new(bytes: &'a [u8], base: usize, endian: Endian) -> Self {
        Self { bytes, at: 0, base, endian }
    }

    /// Offset in the file.
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Changes the byte order for what follows.
    pub fn set_endian(&mut self, endian: Endian) {
        self.endian = endian;
    }

    /// Bytes left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The bytes left.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// An error at the current offset.
    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        ReadError::at(Place::Byte(self.offset()), problem)
    }

    /// How many items of `item_bytes` the rest can hold: the bound for any capacity taken from a
    /// count in the file.
    pub fn capacity(&self, claimed: usize, item_bytes: usize) -> usize {
        claimed.min(self.remaining() / item_bytes.max(1))
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8]> {
        if n > self.remaining() {
            return Err(self
                .error(format!("{what} needs {n} bytes, but only {} are left", self.remaining()))
                .help("The file was probably cut off: fetch or export it again"));
        }
        let slice = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(slice)
    }

    number!(u8: u8, i8: i8, u16: u16, i16: i16, u32: u32, i32: i32, u64: u64, i64: i64, f32: f32, f64: f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_and_the_end() {
        let bytes = [0x3f, 0x80, 0, 0, 1, 0];
        let mut c = Cursor::new(&bytes, 100, Endian::Big);
        assert_eq!(c.f32("x").unwrap(), 1.0);
        c.set_endian(Endian::Little);
        assert_eq!(c.capacity(usize::MAX, 2), 1);
        assert_eq!(c.u16("n").unwrap(), 1);
        let e = c.u8("tail").unwrap_err();
        assert_eq!(e.place, Place::Byte(106));
    }
}
