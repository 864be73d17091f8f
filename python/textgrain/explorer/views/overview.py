"""What the explorer shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import textgrain
from textgrain.explorer.views import layout

if TYPE_CHECKING:
    from textgrain.explorer.session import Session

__all__ = ["overview"]


def overview(session: Session) -> dict[str, Any]:
    """Name and size of everything that the session holds."""
    return {
        "version": dict(textgrain.build_info())["version"],
        "tokenizers": [
            {
                "name": name,
                "kind": tokenizer.settings["kind"],
                "size": tokenizer.vocab_size,
                "merges": len(tokenizer.merges),
                "history": tokenizer.history is not None,
                "lossless": tokenizer.lossless,
            }
            for name, tokenizer in session.tokenizers.items()
        ],
        "vectors": [
            {"name": name, "words": len(vectors), "size": vectors.vector_size}
            for name, vectors in session.vectors.items()
        ],
        "corpora": list(session.corpora),
        "umap": layout.installed(),
        "folders": [str(folder) for folder in session.folders],
    }
