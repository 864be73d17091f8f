"""A tokenizer for the transformers library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from textgrain.tokenizer import Tokenizer

__all__ = ["fast_tokenizer"]


def fast_tokenizer(tokenizer: Tokenizer, settings: dict[str, Any]) -> Any:  # noqa: ANN401 - the library may be absent
    """Make a ``PreTrainedTokenizerFast`` that gives the same ids."""
    reason = tokenizer.hugging_face_reason
    if reason is not None:
        raise ParameterError(
            f"`tokenizer` must be one that Hugging Face tokenizers can load, got {tokenizer!r}: {reason}",
            "tokenizer",
        )
    try:
        from tokenizers import Tokenizer as Backend
        from transformers import PreTrainedTokenizerFast
    except ImportError as error:
        raise ImportError(
            "as_transformers needs the transformers library: pip install transformers"
        ) from error
    backend = Backend.from_str(tokenizer._native.to_bytes().decode())
    # Limits that the file keeps are for the library that loads it to apply, call by call.
    backend.no_padding()
    backend.no_truncation()
    return PreTrainedTokenizerFast(tokenizer_object=backend, **settings)
