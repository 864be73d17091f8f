"""The level of processor that a run is kept to, and the one that an engine was on in the end."""

from __future__ import annotations

import ctypes
import itertools
from pathlib import Path

#: What keeps a library to a level: ours, OpenBLAS (below SciPy, and so gensim), faiss.
ENVIRONMENTS = {
    "portable": {
        "TEXTGRAIN_SIMD": "portable",
        "OPENBLAS_CORETYPE": "Prescott",
        "FAISS_OPT_LEVEL": "generic",
    },
    "avx2": {"TEXTGRAIN_SIMD": "avx2", "OPENBLAS_CORETYPE": "Haswell", "FAISS_OPT_LEVEL": "avx2"},
    "avx512": {"TEXTGRAIN_SIMD": "avx512", "OPENBLAS_CORETYPE": "SkylakeX", "FAISS_OPT_LEVEL": "avx512"},
}


def openblas_kernel() -> str | None:
    """The kind of processor that the OpenBLAS of SciPy computes for; none where it cannot be told.

    SciPy and NumPy bring one each; the names of functions differ from build to build.
    """
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    paths = {line.split()[-1] for line in lines if "openblas" in line}
    for path in sorted(paths, key=lambda path: "scipy.libs" not in path):
        library = ctypes.CDLL(path)
        for start, end in itertools.product(("scipy_openblas", "openblas"), ("", "64_")):
            name = getattr(library, f"{start}_get_corename{end}", None)
            if name is not None:
                name.restype = ctypes.c_char_p
                return str(name().decode())
    return None
