//! Python values in, NumPy arrays out: the only place that knows how.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyString;

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
