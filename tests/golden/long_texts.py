"""Long texts for checksums, made in the same way by the script that writes them and the test."""

import numpy as np


def long_text(characters, length):
    """The characters in an order that looks random and is the same everywhere."""
    if len(characters) == 1:
        return characters * length
    places = (np.arange(length, dtype=np.uint64) * np.uint64(2654435761) >> np.uint64(7)) % np.uint64(1 << 32)
    places = (places * places >> np.uint64(13)) % np.uint64(len(characters))
    return "".join(characters[place] for place in places.tolist())
