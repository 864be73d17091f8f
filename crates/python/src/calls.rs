//! The calls that are made once a line of text: nothing of Python lies between the caller and the core.

#![allow(
    clippy::doc_link_with_quotes,
    clippy::doc_markdown,
    reason = "the comments of methods are docstrings, in the markup of Python"
)]

use std::sync::Arc;

use numpy::{
    Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyInt, PyList, PyString};
use textgrain_core::Error;
use textgrain_core::tokenizer::{self, SpecialPolicy, Tokenizer as Core};

use crate::boundary;
use crate::convert;
use crate::objects;
use crate::tokenizer::{Tokenizer, with_look};

/// Texts up to this many bytes take less time than it takes to pass the interpreter lock on and back, or
/// at worst, as one piece, less than a millisecond.
const SHORT_TEXT: usize = 4096;
/// The same for ids.
const SHORT_IDS: usize = 8192;
/// Arrays up to this many ids are copied into memory of NumPy, which is faster than to hand memory over.
const COPIED_IDS: usize = 16384;

/// Encoding and decoding of a tokenizer; the public class inherits from it.
#[pyclass(frozen, subclass, module = "textgrain._native")]
pub(crate) struct TokenizerCalls {
    core: Arc<Core>,
    /// The ids as Python numbers, made at the first call for a list.
    numbers: PyOnceLock<Vec<Py<PyInt>>>,
}

#[pymethods]
impl TokenizerCalls {
    #[new]
    fn new(native: &Tokenizer) -> Self {
        Self { core: native.core(), numbers: PyOnceLock::new() }
    }

    /// Encode a text to an array of ids.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     The text. A lone surrogate, which is no character, becomes U+FFFD.
    /// special : {"text", "allow", "error"}
    ///     What the name of a special token in the text is, as in :meth:`encode`.
    ///
    /// Returns
    /// -------
    /// ndarray of uint32, shape (tokens,)
    ///     A new array.
    ///
    /// Examples
    /// --------
    /// >>> import textgrain as tg
    /// >>> tokenizer = tg.BPE(merges=0).train(["abc"])
    /// >>> tokenizer.encode_ids("cab").tolist()
    /// [99, 97, 98]
    #[pyo3(signature = (text, special="text"))]
    fn encode_ids<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: &str,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        encode_ids(&self.core, py, text, special)
    }

    /// Encode a text to a list of ids.
    ///
    /// For code that wants Python numbers this is several times as fast as ``encode_ids(text).tolist()``: the
    /// numbers are made once and used again. The first call takes a few milliseconds for it.
    ///
    /// Examples
    /// --------
    /// >>> import textgrain as tg
    /// >>> tokenizer = tg.BPE(merges=0).train(["abc"])
    /// >>> tokenizer.encode_list("cab")
    /// [99, 97, 98]
    #[pyo3(signature = (text, special="text"))]
    fn encode_list<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        special: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let text = convert::text(text)?;
        let numbers = self.numbers.get_or_init(py, || {
            let ids = 0..self.core.vocabulary().len() as u64;
            ids.map(|id| PyInt::new(py, id).unbind()).collect()
        });
        let policy = policy(py, special)?;
        let list = |ids: &[u32]| objects::list(py, ids, numbers);
        if text.len() <= SHORT_TEXT {
            return boundary::run_short(py, || {
                self.core.encode_with(&text, policy, &mut || Ok(()), list)
            })?;
        }
        let ids = boundary::run(py, None, |observer| {
            with_look(observer, |look| self.core.encode(&text, policy, look))
        })?;
        list(&ids)
    }

    /// Count the tokens of a text; no ids are kept.
    ///
    /// Examples
    /// --------
    /// >>> import textgrain as tg
    /// >>> tg.BPE(merges=0).train(["abc"]).count("cab")
    /// 3
    #[pyo3(signature = (text, special="text"))]
    fn count(&self, py: Python<'_>, text: &Bound<'_, PyString>, special: &str) -> PyResult<usize> {
        let text = convert::text(text)?;
        let policy = policy(py, special)?;
        if text.len() <= SHORT_TEXT {
            return boundary::run_short(py, || self.core.count(&text, policy, &mut || Ok(())));
        }
        boundary::run(py, None, |observer| {
            with_look(observer, |look| self.core.count(&text, policy, look))
        })
    }

    /// Return the text of ids.
    ///
    /// Where the split rule dropped white space, one space stands between words; if tokens do not tell
    /// where words end (no `end_of_word`, no `space_prefix`), words run into each other.
    ///
    /// Parameters
    /// ----------
    /// ids : sequence or array of int
    ///     The ids, of any integer type.
    /// errors : {"replace", "strict"}
    ///     Bytes that are not UTF-8, such as half a character, become U+FFFD, or are an error.
    /// skip_special_tokens : bool
    ///     Leave special tokens out; otherwise their names are part of the text.
    ///
    /// Raises
    /// ------
    /// UnknownIdError
    ///     An id is not in the vocabulary.
    ///
    /// Examples
    /// --------
    /// >>> import textgrain as tg
    /// >>> tg.BPE(merges=0).train(["abc"]).decode([99, 97, 98])
    /// 'cab'
    #[pyo3(signature = (ids, errors="replace", *, skip_special_tokens=false))]
    fn decode<'py>(
        slf: &Bound<'py, Self>,
        ids: &Bound<'py, PyAny>,
        errors: &str,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        let py = slf.py();
        let to_text = |bytes: &[u8], is_ascii| match errors {
            "replace" | "strict" if is_ascii => objects::ascii(py, bytes),
            "replace" => objects::string(py, &tokenizer::to_text(bytes)),
            "strict" => {
                let text = tokenizer::to_text_strict(bytes);
                objects::string(py, text.map_err(|error| boundary::to_python(py, error))?)
            }
            _ => {
                let (rule, value) = ("must be \"replace\" or \"strict\"", format!("{errors:?}"));
                Err(boundary::to_python(py, Error::parameter("errors", rule, value)))
            }
        };
        if skip_special_tokens {
            decode_ordinary(slf, ids, to_text)
        } else {
            decode(slf, ids, to_text)
        }
    }

    /// Return the bytes of ids, exactly.
    ///
    /// Examples
    /// --------
    /// >>> import textgrain as tg
    /// >>> tg.BPE(merges=0).train(["abc"]).decode_bytes([99, 255])
    /// b'c\xff'
    fn decode_bytes<'py>(
        slf: &Bound<'py, Self>,
        ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        decode(slf, ids, |bytes, _| Ok(PyBytes::new(slf.py(), bytes)))
    }
}

/// The ids of a text as an array.
pub(crate) fn encode_ids<'py>(
    core: &Core,
    py: Python<'py>,
    text: &Bound<'py, PyString>,
    special: &str,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let text = convert::text(text)?;
    let policy = policy(py, special)?;
    if text.len() <= SHORT_TEXT {
        return boundary::run_short(py, || {
            core.encode_with(&text, policy, &mut || Ok(()), |ids| PyArray1::from_slice(py, ids))
        });
    }
    let ids = boundary::run(py, None, |observer| {
        with_look(observer, |look| core.encode(&text, policy, look))
    })?;
    if ids.len() <= COPIED_IDS {
        return Ok(PyArray1::from_slice(py, &ids));
    }
    Ok(ids.into_pyarray(py))
}

fn policy(py: Python<'_>, special: &str) -> PyResult<SpecialPolicy> {
    SpecialPolicy::parse(special).map_err(|error| boundary::to_python(py, error))
}

/// What a function makes of the bytes of ids, and of whether they are ASCII.
fn decode<'py, T>(
    slf: &Bound<'py, TokenizerCalls>,
    ids: &Bound<'py, PyAny>,
    make: impl FnOnce(&[u8], bool) -> PyResult<T>,
) -> PyResult<T> {
    with_ids(slf, ids, |ids| decode_ids(slf.py(), &slf.get().core, ids, make))
}

/// The same without special tokens.
fn decode_ordinary<'py, T>(
    slf: &Bound<'py, TokenizerCalls>,
    ids: &Bound<'py, PyAny>,
    make: impl FnOnce(&[u8], bool) -> PyResult<T>,
) -> PyResult<T> {
    let core = &slf.get().core;
    with_ids(slf, ids, |ids| {
        let ordinary = ids.iter().copied().filter(|&id| !core.is_special_id(id));
        decode_ids(slf.py(), core, &ordinary.collect::<Vec<_>>(), make)
    })
}

/// Calls a function with ids, given as an array or a list; whatever else there is goes through `_checked_ids` of
/// the public class, which also says what is wrong with it.
fn with_ids<'py, T>(
    slf: &Bound<'py, TokenizerCalls>,
    ids: &Bound<'py, PyAny>,
    call: impl FnOnce(&[u32]) -> PyResult<T>,
) -> PyResult<T> {
    if let Ok(array) = ids.cast::<PyArray1<u32>>() {
        if array.len() <= SHORT_IDS && array.is_contiguous() {
            #[allow(unsafe_code, reason = "a registered borrow takes as long as to decode a line")]
            // SAFETY: for so few ids the interpreter lock is kept until they are read, and no code of Python runs.
            let ids = unsafe { array.as_slice()? };
            return call(ids);
        }
        if let Ok(ids) = array.try_readonly()
            && let Ok(ids) = ids.as_slice()
        {
            return call(ids);
        }
    } else if let Some(ids) = plain_ids(ids) {
        return call(&ids);
    }
    let ids = slf.call_method1("_checked_ids", (ids,))?;
    let ids: PyReadonlyArray1<'_, u32> = ids.extract()?;
    call(ids.as_slice()?)
}

/// The numbers of a list, or of an array of another type, if they may be ids.
fn plain_ids(ids: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
    if let Ok(list) = ids.cast_exact::<PyList>() {
        return objects::numbers(list);
    }
    array_ids::<i64>(ids).or_else(|| array_ids::<i32>(ids)).or_else(|| array_ids::<u16>(ids))
}

fn array_ids<T: Element + Copy + TryInto<u32>>(ids: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
    let ids = ids.cast::<PyArray1<T>>().ok()?.try_readonly().ok()?;
    ids.as_array().iter().map(|&id| id.try_into().ok()).collect()
}

fn decode_ids<T>(
    py: Python<'_>,
    core: &Core,
    ids: &[u32],
    make: impl FnOnce(&[u8], bool) -> PyResult<T>,
) -> PyResult<T> {
    if ids.len() <= SHORT_IDS {
        return decode_short(py, core, ids, make);
    }
    let (bytes, is_ascii) = boundary::run(py, None, |_| {
        let bytes = core.decode(ids)?;
        let is_ascii = bytes.is_ascii();
        Ok((bytes, is_ascii))
    })?;
    make(&bytes, is_ascii)
}

fn decode_short<T>(
    py: Python<'_>,
    core: &Core,
    ids: &[u32],
    make: impl FnOnce(&[u8], bool) -> PyResult<T>,
) -> PyResult<T> {
    boundary::run_short(py, || core.decode_with(ids, make))?
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TokenizerCalls>()
}
