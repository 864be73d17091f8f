//! Lists, numbers and strings by the layout that the interpreter's own macros go by.
//!
//! A call per item is most of the time of a call with a list. The layout of these objects is one for each
//! version of the interpreter, which is why the module is built for one version.
#![allow(unsafe_code, reason = "no safe way to read or make objects without a call for each item")]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyInt, PyList, PyString};

use crate::unicode::{self, Unit, Width};

/// A list of numbers that are kept: a reference to each is all that it costs.
pub(crate) fn list<'py>(
    py: Python<'py>,
    ids: &[u32],
    numbers: &[Py<PyInt>],
) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the new list has room for as many items and is not known to anybody else. A panic in the middle
    // leaves null pointers behind, which a list may have while it is made.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as ffi::Py_ssize_t))?;
        let items = (*list.as_ptr().cast::<ffi::PyListObject>()).ob_item;
        for (place, &id) in ids.iter().enumerate() {
            let number = numbers[id as usize].as_ptr();
            ffi::Py_INCREF(number);
            *items.add(place) = number;
        }
        Ok(list.cast_into_unchecked())
    }
}

/// The numbers of a list, if all are plain whole numbers from 0 to below 2^30; else nothing.
pub(crate) fn numbers(list: &Bound<'_, PyList>) -> Option<Vec<u32>> {
    static HOLDS: PyOnceLock<bool> = PyOnceLock::new();
    if !HOLDS.get_or_init(list.py(), || layout_holds(list.py())) {
        return list.iter().map(|item| item.cast_exact::<PyInt>().ok()?.extract().ok()).collect();
    }
    with_critical_section(list, || {
        // SAFETY: no other thread changes the list meanwhile, and no code of Python runs.
        unsafe {
            let count = ffi::PyList_GET_SIZE(list.as_ptr()) as usize;
            let items = (*list.as_ptr().cast::<ffi::PyListObject>()).ob_item;
            let mut numbers = Vec::with_capacity(count);
            for place in 0..count {
                numbers.push(number(*items.add(place))?);
            }
            Some(numbers)
        }
    })
}

/// The head of a whole number, as far as it has one digit.
#[repr(C)]
struct Number {
    base: ffi::PyObject,
    #[cfg(Py_3_12)]
    tag: usize,
    #[cfg(not(Py_3_12))]
    digits: ffi::Py_ssize_t,
    digit: u32,
}

impl Number {
    /// The number, if it is not negative and has one digit at most.
    #[inline]
    fn value(&self) -> Option<u32> {
        // From 3.12 on: the sign in two bits, where 1 is zero and 2 is minus, another bit, the number of digits.
        #[cfg(Py_3_12)]
        let (is_zero, is_small) = (self.tag & 3 == 1, self.tag & 3 != 2 && self.tag < 2 << 3);
        #[cfg(not(Py_3_12))]
        let (is_zero, is_small) = (self.digits == 0, self.digits == 1);
        if is_zero {
            return Some(0);
        }
        is_small.then_some(self.digit)
    }
}

/// # Safety
///
/// The object lives, and numbers have the layout of [`Number`].
#[inline]
unsafe fn number(object: *mut ffi::PyObject) -> Option<u32> {
    // SAFETY: what is exactly an `int` has its layout.
    unsafe {
        if ffi::PyLong_CheckExact(object) == 0 { None } else { (*object.cast::<Number>()).value() }
    }
}

/// Whether numbers have the layout of [`Number`], asked once.
fn layout_holds(py: Python<'_>) -> bool {
    let bits = py.import("sys").and_then(|sys| sys.getattr("int_info")?.getattr("bits_per_digit"));
    let is_known = bits.and_then(|bits| bits.extract::<u32>()).is_ok_and(|bits| bits == 30);
    let expected = |value: i64| u32::try_from(value).ok().filter(|value| *value < 1 << 30);
    is_known
        && [0, 1, 255, 257, 100_255, (1 << 30) - 1, 1 << 30, 1 << 40, -1, -300].into_iter().all(
            |value| {
                let object = PyInt::new(py, value);
                // SAFETY: the object lives; digits of 30 bits are part of a head that is larger than `Number`.
                unsafe { number(object.as_ptr()) == expected(value) }
            },
        )
}

/// A string of Python, from bytes that are ASCII.
pub(crate) fn ascii<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    debug_assert!(bytes.is_ascii());
    // SAFETY: the new string has room for as many characters and is not known to anybody else. The empty string
    // is one for all, and nothing is written to it.
    unsafe {
        let string = ffi::PyUnicode_New(bytes.len() as ffi::Py_ssize_t, 0x7F);
        let string = Bound::from_owned_ptr_or_err(py, string)?;
        let data = ffi::PyUnicode_DATA(string.as_ptr()).cast();
        bytes.as_ptr().copy_to_nonoverlapping(data, bytes.len());
        Ok(string.cast_into_unchecked())
    }
}

/// A string of Python.
pub(crate) fn string<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    if text.is_ascii() {
        return ascii(py, text.as_bytes());
    }
    let (length, width) = unicode::measure(text);
    let most = match width {
        Width::One => 0xFF,
        Width::Two => 0xFFFF,
        Width::Four => 0x0010_FFFF,
    };
    // SAFETY: the new string has room for `length` units of the width that its largest character asks for, and
    // is not known to anybody else until all of them are written.
    unsafe {
        let string = ffi::PyUnicode_New(length as ffi::Py_ssize_t, most);
        let string = Bound::from_owned_ptr_or_err(py, string)?;
        let data = ffi::PyUnicode_DATA(string.as_ptr());
        match width {
            Width::One => unicode::widen(text, units::<u8>(data, length)),
            Width::Two => unicode::widen(text, units::<u16>(data, length)),
            Width::Four => unicode::widen(text, units::<u32>(data, length)),
        }
        Ok(string.cast_into_unchecked())
    }
}

/// # Safety
///
/// There is room for as many units, which nobody else knows of.
unsafe fn units<'a, T: Unit>(data: *mut c_void, length: usize) -> &'a mut [MaybeUninit<T>] {
    // SAFETY: as the caller promises; the memory behind the head of a string is aligned for its units.
    unsafe { slice::from_raw_parts_mut(data.cast(), length) }
}
