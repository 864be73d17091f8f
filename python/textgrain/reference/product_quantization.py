r"""Product quantization: a vector as a few bytes, each the number of a vector in a book.

A vector is cut into parts of a few numbers. For each part there is a **book** of at most 256 vectors, and
what is kept of the part is the number of the nearest of them: one byte. All books together say
:math:`256^{\text{parts}}` different things with no more than :math:`256 \cdot d` numbers (Jégou, Douze and
Schmid 2011).

Books come from **k-means** (Lloyd 1982): begin with some of the points; let each point belong to the nearest
vector of the book; put each vector where the mean of its points is; again. Nearest is where
:math:`\langle x, c \rangle - \tfrac{1}{2} \lVert c \rVert^2` is largest, which orders vectors as their
distance does.

Only directions are cut up: the length of each vector is kept as it is.

Examples
--------
>>> points = np.array([[0.0], [0.1], [1.0], [1.1]], dtype=np.float32)
>>> learn_book(points, points[[0, 1]]).astype(float).round(2).ravel().tolist()
[0.05, 1.05]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = ["draw", "encode", "learn", "learn_book", "nearest", "parts_of", "random_numbers"]

#: Vectors in a book, as many as a byte can number; points that are learned from for each; rounds of k-means.
ENTRIES, POINTS_FOR_EACH, ROUNDS = 256, 256, 10

_BITS = (1 << 64) - 1


def learn(directions: Matrix, parts: int, seed: int = 1) -> list[Matrix]:
    """Learn the book of each part from some of the rows, which have length 1."""
    entries = min(ENTRIES, len(directions))
    sample = draw(random_numbers(seed, 0), min(POINTS_FOR_EACH * ENTRIES, len(directions)), len(directions))
    books = []
    for part, points in enumerate(parts_of(directions[sample], parts)):
        first = draw(random_numbers(seed, 1 + part), entries, len(points))
        books.append(learn_book(points, points[first]))
    return books


def encode(directions: Matrix, books: list[Matrix]) -> NDArray[np.uint8]:
    """Find the number of the nearest vector of each book, a row for each row."""
    pieces = parts_of(directions, len(books))
    return np.stack([nearest(points, book) for points, book in zip(pieces, books, strict=True)], axis=1)


def parts_of(directions: Matrix, parts: int) -> list[Matrix]:
    """Cut rows into parts of equal width; the last are filled up with zeros."""
    width = -(-directions.shape[1] // parts)
    filled = np.zeros((len(directions), parts * width), dtype=np.float32)
    filled[:, : directions.shape[1]] = directions
    return np.split(filled, parts, axis=1)


def learn_book(points: Matrix, book: Matrix) -> Matrix:
    """Move the vectors of a book to where points lie close together."""
    for _ in range(ROUNDS):
        found = nearest(points, book)
        book = book.copy()
        for entry in range(len(book)):
            own = points[found == entry]
            # A vector near to which no point lies stays where it is.
            if len(own):
                # A running sum, so that numbers are added in order: the last digits depend on it.
                book[entry] = own.astype(np.float64).cumsum(axis=0)[-1] / len(own)
    return book


def nearest(points: Matrix, book: Matrix) -> NDArray[np.uint8]:
    """Find the number of the nearest vector to each point, the first of those that are equally near."""
    squares = np.zeros(len(book), dtype=np.float32)
    for column in book.T:
        squares += column * column
    scores = np.tile(np.float32(-0.5) * squares, (len(points), 1))
    for of_points, of_book in zip(points.T, book.T, strict=True):
        scores += of_points[:, None] * of_book
    found: NDArray[np.uint8] = scores.argmax(axis=1).astype(np.uint8)
    return found


def draw(random: Iterator[int], count: int, of: int) -> list[int]:
    """Draw so many of the numbers below `of`, rising; each choice is as likely as any other.

    Each number in turn is taken with the probability of what is still wanted over what is left (Knuth,
    volume 2, algorithm 3.4.2 S).
    """
    drawn: list[int] = []
    for number in range(of):
        if next(random) * (of - number) >> 32 < count - len(drawn):
            drawn.append(number)
    return drawn


def random_numbers(seed: int, stream: int) -> Iterator[int]:
    """Yield numbers of 32 bits without end: xorshift with a multiplied output (Vigna 2016)."""
    state = _mix(_mix(seed) ^ _mix((stream + 0x5851F42D4C957F2D) & _BITS)) or 1
    while True:
        state ^= state >> 12
        state ^= state << 25 & _BITS
        state ^= state >> 27
        yield (state * 0x2545F4914F6CDD1D & _BITS) >> 32


def _mix(value: int) -> int:
    """Spread neighboring numbers far apart (the last step of SplitMix64)."""
    mixed = (value + 0x9E3779B97F4A7C15) & _BITS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _BITS
    return mixed ^ mixed >> 31
