//! The wire format of protocol buffers: fields one after the other, each with a number and a type.
//!
//! Only what the files need that we read and write. A length is checked against what is left before
//! anything is done with it.

/// The value of a field as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

/// A field with the place of its value in the file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) value: Value<'a>,
    pub(super) place: usize,
}

/// What is wrong, and where, in bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) place: usize,
    pub(super) reason: String,
}

impl Damage {
    pub(super) fn new(place: usize, reason: impl Into<String>) -> Self {
        Self { place, reason: reason.into() }
    }
}

impl<'a> Field<'a> {
    fn wrong_type(&self, wanted: &str) -> Damage {
        Damage::new(self.place, format!("field {} must be {wanted}", self.number))
    }

    pub(super) fn bytes(&self) -> Result<&'a [u8], Damage> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong_type("a string")),
        }
    }

    pub(super) fn text(&self) -> Result<&'a str, Damage> {
        std::str::from_utf8(self.bytes()?).map_err(|error| {
            let place = self.place + error.valid_up_to();
            Damage::new(place, format!("the text of field {} is not UTF-8", self.number))
        })
    }

    /// The fields of a message inside this field.
    pub(super) fn message(&self) -> Result<Reader<'a>, Damage> {
        Ok(Reader { rest: self.bytes()?, place: self.place })
    }

    pub(super) fn float(&self) -> Result<f32, Damage> {
        match self.value {
            Value::Fixed32(bits) => Ok(f32::from_bits(bits)),
            _ => Err(self.wrong_type("a number of 32 bits")),
        }
    }

    pub(super) fn varint(&self) -> Result<u64, Damage> {
        match self.value {
            Value::Varint(number) => Ok(number),
            _ => Err(self.wrong_type("a whole number")),
        }
    }

    pub(super) fn flag(&self) -> Result<bool, Damage> {
        self.varint().map(|number| number != 0)
    }
}

/// Goes over the fields of a message; ends after the first error.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// The place of `rest` in the file.
    place: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message, place: 0 }
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        self.place += length;
        Some(taken)
    }

    fn varint(&mut self) -> Result<u64, Damage> {
        let start = self.place;
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some(&[byte]) = self.take(1) else {
                return Err(Damage::new(start, "the file ends inside a number"));
            };
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damage::new(start, "a number has more than 64 bits"))
    }

    fn field(&mut self) -> Result<Field<'a>, Damage> {
        let start = self.place;
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|&number| number > 0);
        let number = number.ok_or_else(|| Damage::new(start, "a field has no valid number"))?;
        let cut = |place: usize, length: u64, left: usize| {
            Damage::new(place, format!("field {number} has {length} bytes, but {left} are left"))
        };
        let mut place = self.place;
        let left = self.rest.len();
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => {
                let bytes = self.take(8).ok_or_else(|| cut(place, 8, left))?;
                Value::Fixed64(bytes.iter().rev().fold(0, |sum, &one| sum << 8 | u64::from(one)))
            }
            2 => {
                let length = self.varint()?;
                place = self.place;
                let left = self.rest.len();
                let taken = usize::try_from(length).ok().and_then(|length| self.take(length));
                Value::Bytes(taken.ok_or_else(|| cut(place, length, left))?)
            }
            5 => {
                let bytes = self.take(4).ok_or_else(|| cut(place, 4, left))?;
                Value::Fixed32(bytes.iter().rev().fold(0, |sum, &one| sum << 8 | u32::from(one)))
            }
            other => {
                let reason = format!("field {number} has the type {other}, which is not in use");
                return Err(Damage::new(start, reason));
            }
        };
        Ok(Field { number, value, place })
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Field<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Appends fields to a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    pub(super) message: Vec<u8>,
}

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.message.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.message.push(number as u8);
    }

    fn tag(&mut self, number: u32, kind: u8) {
        self.number(u64::from(number) << 3 | u64::from(kind));
    }

    pub(super) fn varint(&mut self, number: u32, value: u64) {
        self.tag(number, 0);
        self.number(value);
    }

    pub(super) fn bytes(&mut self, number: u32, value: &[u8]) {
        self.tag(number, 2);
        self.number(value.len() as u64);
        self.message.extend_from_slice(value);
    }

    pub(super) fn float(&mut self, number: u32, value: f32) {
        self.tag(number, 5);
        self.message.extend_from_slice(&value.to_le_bytes());
    }

    /// Writes a field as it was read.
    pub(super) fn field(&mut self, field: &Field<'_>) {
        match field.value {
            Value::Varint(value) => self.varint(field.number, value),
            Value::Bytes(value) => self.bytes(field.number, value),
            Value::Fixed32(value) => self.float(field.number, f32::from_bits(value)),
            Value::Fixed64(value) => {
                self.tag(field.number, 1);
                self.message.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut inner = Writer::default();
        inner.bytes(1, "▁a".as_bytes());
        inner.float(2, -1.5);
        let mut outer = Writer::default();
        outer.bytes(1, &inner.message);
        outer.varint(1000, u64::MAX);
        outer.field(&Field { number: 7, value: Value::Fixed64(u64::MAX - 1), place: 0 });
        let fields: Vec<_> = Reader::new(&outer.message).map(Result::unwrap).collect();
        let inside: Vec<_> = fields[0].message().unwrap().map(Result::unwrap).collect();
        assert_eq!(inside[0].text().unwrap(), "▁a");
        assert_eq!(inside[1].float(), Ok(-1.5));
        assert_eq!((fields[1].number, fields[1].varint()), (1000, Ok(u64::MAX)));
        assert_eq!(fields[2].value, Value::Fixed64(u64::MAX - 1));
        assert!(fields[2].text().unwrap_err().reason.contains("must be a string"));
        let mut copy = Writer::default();
        for field in &fields {
            copy.field(field);
        }
        assert_eq!(copy.message, outer.message);
    }

    #[test]
    fn damage_is_found_with_its_place() {
        for (bytes, place, reason) in [
            (&b"\x0A\x05ab"[..], 2, "field 1 has 5 bytes, but 2 are left"),
            (b"\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11, "but 0 are left"),
            (b"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1, "more than 64 bits"),
            (b"\x08", 1, "the file ends inside a number"),
            (b"\x0D\x01\x02", 1, "field 1 has 4 bytes, but 2 are left"),
            (b"\x0B", 0, "the type 3"),
            (b"\x00", 0, "no valid number"),
        ] {
            let damage = Reader::new(bytes).last().unwrap().unwrap_err();
            assert!(damage.place == place && damage.reason.contains(reason), "{damage:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes: Vec<u8>) {
            for field in Reader::new(&bytes).flatten() {
                let _ = (field.text(), field.varint(), field.float());
                let _ = field.message().map(Iterator::count);
            }
        }
    }
}
