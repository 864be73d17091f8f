//! Python values in, `NumPy` arrays out: the only place that knows how.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use textgrain_core::Error;
use textgrain_core::corpus::resolve_threads;

use crate::boundary;

/// The text of a Python string, borrowed where it is valid Unicode.
///
/// A lone surrogate, which no UTF-8 can hold, becomes U+FFFD; a pair of surrogates is joined into the
/// character that it stands for.
pub(crate) fn text<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = string.to_str() {
        return Ok(Cow::Borrowed(text));
    }
    let utf16 = string.call_method1("encode", ("utf-16", "surrogatepass"))?;
    let repaired: String = utf16.call_method1("decode", ("utf-16", "replace"))?.extract()?;
    Ok(Cow::Owned(repaired))
}

/// A whole number of at least `least`, or a complaint that names the setting.
pub(crate) fn whole(
    name: &'static str,
    value: Option<&Bound<'_, PyAny>>,
    least: u64,
) -> PyResult<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    let number = if value.is_instance_of::<PyBool>() {
        None
    } else if value.is_instance_of::<PyInt>() || value.hasattr("__index__")? {
        value.extract::<u64>().ok().filter(|number| *number >= least)
    } else {
        None
    };
    if number.is_some() {
        return Ok(number);
    }
    let rule = format!("must be a whole number of at least {least}");
    Err(boundary::to_python(value.py(), Error::parameter(name, rule, value.repr()?)))
}

/// The same for a setting that cannot be left out.
pub(crate) fn required(name: &'static str, value: &Bound<'_, PyAny>, least: u64) -> PyResult<u64> {
    let number = if value.is_none() { None } else { whole(name, Some(value), least)? };
    number.ok_or_else(|| {
        let rule = format!("must be a whole number of at least {least}");
        boundary::to_python(value.py(), Error::parameter(name, rule, "None"))
    })
}

/// The number of threads that the caller asks for.
pub(crate) fn threads(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let threads = whole("threads", value, 1)?;
    Ok(resolve_threads(threads.map(|threads| threads.min(1024) as usize)))
}
