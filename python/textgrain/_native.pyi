# Types of the native module; checked against the binary by stubtest.

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, disjoint_base

__all__ = [
    "DecodeStream",
    "IdFile",
    "Ngrams",
    "Phrases",
    "PieceCounts",
    "Report",
    "Source",
    "Stored",
    "Tokenizer",
    "TokenizerCalls",
    "WordVectors",
    "add_special_tokens",
    "add_tokens",
    "build_info",
    "check_writable",
    "count_cooccurrence",
    "count_pieces",
    "count_tokens",
    "cut_words",
    "document_means",
    "document_texts",
    "encode_files",
    "extend_bpe",
    "file_vocabulary",
    "load_bert",
    "load_gpt2",
    "load_subword_nmt",
    "load_table",
    "nearest",
    "nearest_by_product",
    "nearest_to_each",
    "ngrams_of",
    "processor_level",
    "processor_levels",
    "recognize_tokenizer",
    "save_bert",
    "save_gpt2",
    "save_subword_nmt",
    "save_table",
    "solve_analogies",
    "split_pieces",
    "surroundings",
    "token_facts",
    "train_bpe",
    "train_fasttext",
    "train_glove",
    "train_level",
    "train_phrases",
    "train_unigram",
    "train_word2vec",
    "with_ngrams",
]

def build_info() -> list[tuple[str, str]]: ...
def check_writable(path: str | PathLike[str]) -> None: ...
def processor_level() -> str: ...
def processor_levels() -> list[str]: ...

@final
class Source:
    @staticmethod
    def files(patterns: list[str], documents: str, errors: str, field: str | None) -> Source: ...
    @staticmethod
    def iterable(documents: Iterable[str]) -> Source: ...
    @staticmethod
    def counts(counts: list[tuple[str, int]]) -> Source: ...
    @staticmethod
    def pieces(counts: PieceCounts) -> Source: ...
    def paths(self) -> list[str]: ...

@final
class PieceCounts:
    @staticmethod
    def from_items(
        items: list[tuple[str, int]], split: str, space_prefix: bool, documents: int, bytes: int
    ) -> PieceCounts: ...
    @staticmethod
    def load(path: str) -> PieceCounts: ...
    @staticmethod
    def merge(parts: list[PieceCounts]) -> PieceCounts: ...
    def save(self, path: str) -> None: ...
    def __len__(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def documents(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def split(self) -> str: ...
    @property
    def space_prefix(self) -> bool: ...
    def items(self) -> list[tuple[str, int]]: ...

def count_pieces(
    source: Source,
    *,
    split: str,
    space_prefix: bool,
    threads: int | None,
    progress: Callable[..., Any] | bool | None,
) -> tuple[PieceCounts, Report]: ...

@final
class Report:
    @property
    def documents(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def replaced(self) -> int: ...
    @property
    def first_replaced(self) -> list[tuple[str, int]]: ...

@final
class WordVectors:
    @staticmethod
    def from_parts(
        words: list[str],
        matrix: npt.NDArray[np.float32],
        counts: list[int],
        settings: str,
        history: list[float],
        like: WordVectors | None = None,
    ) -> WordVectors: ...
    @staticmethod
    def load(
        path: str, lenient: bool, verify: bool, threads: int | None, progress: Callable[..., Any] | None
    ) -> tuple[WordVectors, str | None, list[str]]: ...
    def save(
        self, path: str, format: str, spaces: str | None, sketch: bool, progress: Callable[..., Any] | None
    ) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(content: bytes) -> WordVectors: ...
    def __len__(self) -> int: ...
    @property
    def vector_size(self) -> int: ...
    @property
    def settings(self) -> str: ...
    @property
    def history(self) -> list[float]: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def counts(self) -> npt.NDArray[np.uint64]: ...
    @property
    def norms(self) -> npt.NDArray[np.float32]: ...
    @property
    def matrix(self) -> npt.NDArray[np.float32]: ...
    @property
    def stored(self) -> Literal["float16", "int8", "product"] | None: ...
    def vector(self, row: int) -> npt.NDArray[np.float32]: ...
    def rows(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]: ...
    def row(self, word: str) -> int | None: ...
    def word(self, row: int) -> str: ...
    def cosine(self, left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> float: ...

@final
class Stored:
    @staticmethod
    def half(halves: npt.NDArray[np.uint16]) -> Stored: ...
    @staticmethod
    def bytes(numbers: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]) -> Stored: ...
    @staticmethod
    def codes(
        codes: npt.NDArray[np.uint8],
        books: npt.NDArray[np.float32],
        parts: int,
        lengths: npt.NDArray[np.float32],
    ) -> Stored: ...
    @staticmethod
    def product(
        vectors: WordVectors,
        of_ngrams: bool,
        parts: int,
        seed: int,
        threads: int | None,
        progress: Callable[..., Any] | None,
    ) -> Stored: ...
    @property
    def size(self) -> int: ...
    def restore(self, vectors: WordVectors, ngrams: Stored | None = None) -> WordVectors: ...

def nearest(
    vectors: WordVectors,
    query: npt.NDArray[np.float32],
    n: int,
    metric: str,
    among: npt.NDArray[np.int64] | None,
    exclude: list[int],
    threads: int | None,
) -> list[tuple[int, float]]: ...
def nearest_by_product(
    vectors: WordVectors,
    positive: list[npt.NDArray[np.float32]],
    negative: list[npt.NDArray[np.float32]],
    n: int,
    metric: str,
    among: npt.NDArray[np.int64] | None,
    exclude: list[int],
    threads: int | None,
) -> list[tuple[int, float]]: ...
def nearest_to_each(
    vectors: WordVectors,
    queries: npt.NDArray[np.float32],
    own: npt.NDArray[np.int64] | None,
    n: int,
    metric: str,
    among: npt.NDArray[np.int64] | None,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]: ...
def solve_analogies(
    vectors: WordVectors,
    questions: npt.NDArray[np.int64],
    among: npt.NDArray[np.int64],
    method: str,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> npt.NDArray[np.int64]: ...

@final
class Ngrams:
    @property
    def scheme(self) -> str: ...
    @property
    def matrix(self) -> npt.NDArray[np.float32]: ...
    @property
    def buckets(self) -> npt.NDArray[np.uint32] | None: ...
    @property
    def dropped(self) -> bool: ...
    @property
    def texts(self) -> tuple[list[str], list[int]] | None: ...
    def __len__(self) -> int: ...
    def rows(self, rows: list[int]) -> npt.NDArray[np.float32]: ...
    def parts(self, word: str) -> list[tuple[str, list[int]]]: ...
    def vector(self, word: str) -> npt.NDArray[np.float32] | None: ...

def ngrams_of(vectors: WordVectors) -> Ngrams | None: ...
def with_ngrams(
    vectors: WordVectors,
    scheme: str,
    matrix: npt.NDArray[np.float32],
    *,
    buckets: list[int] | None,
    dropped: bool,
    texts: tuple[list[str], list[int]] | None,
) -> WordVectors: ...
def document_means(
    vectors: WordVectors,
    source: Source,
    weights: npt.NDArray[np.float64],
    *,
    from_ngrams: bool,
    unit: bool,
    split: str | Phrases | Tokenizer,
    lowercase: bool,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint64], npt.NDArray[np.uint64], Report]: ...
def document_texts(source: Source, numbers: list[int], progress: Callable[..., Any] | None) -> list[str]: ...
def cut_words(text: str, split: str | Phrases | Tokenizer, lowercase: bool) -> list[str]: ...
def save_table(path: str, matrix: npt.NDArray[np.float32], settings: str) -> None: ...
def load_table(path: str) -> tuple[npt.NDArray[np.float32], str]: ...
def train_fasttext(
    source: Source | IdFile,
    *,
    architecture: str,
    loss: str,
    ngrams: str,
    min_n: int,
    max_n: int,
    buckets: int,
    vector_size: int,
    window: int,
    min_count: int,
    max_vocab: int | None,
    negative: int,
    shared_negatives: bool,
    ns_exponent: float,
    subsample: float | None,
    shrink_window: bool | None,
    epochs: int,
    learning_rate: float | None,
    min_learning_rate: float | None,
    negative_may_equal_target: bool,
    held_out: float,
    patience: int,
    deterministic: bool,
    seed: int,
    split: str | Phrases | Tokenizer,
    lowercase: bool,
    init_from: WordVectors | None,
    checkpoint: str | None,
    checkpoint_seconds: float,
    on_epoch: Callable[[int, float, float | None, float, WordVectors], bool] | None,
    threads: int | None,
    progress: Callable[[str, int, int | None, str, list[tuple[str, float]]], object] | None,
) -> tuple[WordVectors, Report, bool, int]: ...
def train_word2vec(
    source: Source | IdFile,
    *,
    architecture: str,
    loss: str,
    vector_size: int,
    window: int,
    min_count: int,
    max_vocab: int | None,
    negative: int,
    shared_negatives: bool,
    ns_exponent: float,
    subsample: float | None,
    shrink_window: bool | None,
    epochs: int,
    learning_rate: float | None,
    min_learning_rate: float | None,
    negative_may_equal_target: bool,
    held_out: float,
    patience: int,
    deterministic: bool,
    seed: int,
    split: str | Phrases | Tokenizer,
    lowercase: bool,
    init_from: WordVectors | None,
    checkpoint: str | None,
    checkpoint_seconds: float,
    on_epoch: Callable[[int, float, float | None, float, WordVectors], bool] | None,
    threads: int | None,
    progress: Callable[[str, int, int | None, str, list[tuple[str, float]]], object] | None,
) -> tuple[WordVectors, Report, bool, int]: ...
def train_glove(
    source: Source | IdFile,
    *,
    vector_size: int,
    window: int,
    min_count: int,
    max_vocab: int | None,
    x_max: float,
    alpha: float,
    epochs: int,
    learning_rate: float,
    symmetric: bool,
    optimizer: str,
    distance_weighting: bool,
    held_out: float,
    patience: int,
    seed: int,
    split: str | Phrases | Tokenizer,
    lowercase: bool,
    init_from: WordVectors | None,
    checkpoint: str | None,
    checkpoint_seconds: float,
    on_epoch: Callable[[int, float, float | None, float, WordVectors], bool] | None,
    threads: int | None,
    progress: Callable[[str, int, int | None, str, list[tuple[str, float]]], object] | None,
) -> tuple[WordVectors, Report]: ...
def count_cooccurrence(
    source: Source | IdFile,
    *,
    window: int,
    min_count: int,
    max_vocab: int | None,
    symmetric: bool,
    distance_weighting: bool,
    split: str | Phrases | Tokenizer,
    lowercase: bool,
    threads: int | None,
    progress: Callable[[str, int, int | None, str, list[tuple[str, float]]], object] | None,
) -> tuple[list[str], npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64], Report]: ...

@disjoint_base
class TokenizerCalls:
    def __new__(cls, native: Tokenizer) -> Self: ...
    def encode_ids(
        self, text: str, special: Literal["text", "allow", "error"] = "text"
    ) -> npt.NDArray[np.uint32]: ...
    def encode_list(self, text: str, special: Literal["text", "allow", "error"] = "text") -> list[int]: ...
    def count(self, text: str, special: Literal["text", "allow", "error"] = "text") -> int: ...
    def decode(
        self,
        ids: Sequence[int] | npt.NDArray[Any],
        errors: Literal["replace", "strict"] = "replace",
        *,
        skip_special_tokens: bool = False,
    ) -> str: ...
    def decode_bytes(self, ids: Sequence[int] | npt.NDArray[Any]) -> bytes: ...

@final
class Tokenizer:
    @staticmethod
    def load(path: str) -> Tokenizer: ...
    @staticmethod
    def from_bytes(content: bytes) -> Tokenizer: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def lossless(self) -> bool: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def hugging_face_reason(self) -> str | None: ...
    def encode(self, text: str, special: str) -> npt.NDArray[np.uint32]: ...
    def encode_batch(
        self,
        texts: list[str],
        threads: int | None,
        special: str,
        progress: Callable[..., Any] | None,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]: ...
    def encode_at_most(
        self, text: str, special: str, max_tokens: int
    ) -> tuple[npt.NDArray[np.uint32], bool]: ...
    def places(
        self, text: str, special: str, limit: int | None
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...
    def special_mask(self, ids: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]: ...
    def layout(self, is_pair: bool) -> list[tuple[int, int, int]]: ...
    def decode_with_offsets(self, ids: npt.NDArray[np.uint32]) -> tuple[str, list[tuple[int, int]]]: ...
    def explain(
        self, text: str, special: str
    ) -> list[tuple[str, int, list[int], list[tuple[int, list[int]]], list[int]]]: ...
    def vocabulary(self) -> list[str]: ...
    def tokens(self, ids: npt.NDArray[np.uint32]) -> list[str]: ...
    def id_to_bytes(self, id: int) -> bytes: ...
    def token_to_id(self, token: str | bytes) -> int | None: ...
    def special_tokens(self) -> list[tuple[str, int]]: ...
    def settings(self) -> dict[str, Any]: ...
    def merges(self) -> list[tuple[int, int, int]]: ...
    def history(
        self,
    ) -> list[tuple[int, int, int, int, int, tuple[int, int] | None, int, tuple[str, str] | None]] | None: ...
    def save(self, path: str) -> None: ...
    def save_tiktoken(self, path: str) -> None: ...
    @staticmethod
    def load_tiktoken(path: str, split: str, special_tokens: list[tuple[str, int]]) -> Tokenizer: ...
    def save_sentencepiece(self, path: str) -> None: ...
    @staticmethod
    def load_sentencepiece(path: str) -> Tokenizer: ...
    def normalize(self, text: str) -> str: ...
    def sample(
        self, text: str, special: str, alpha: float | None, dropout: float | None, seed: int
    ) -> npt.NDArray[np.uint32]: ...
    def n_best(self, text: str, count: int, special: str) -> list[tuple[npt.NDArray[np.uint32], float]]: ...
    def to_bytes(self) -> bytes: ...

@final
class DecodeStream:
    def __new__(cls, tokenizer: Tokenizer) -> DecodeStream: ...
    def push(self, ids: npt.NDArray[np.uint32]) -> str: ...
    def push_one(self, id: int) -> str: ...
    def finish(self) -> str: ...

@final
class IdFile:
    @staticmethod
    def open(path: str) -> IdFile: ...
    def __len__(self) -> int: ...
    @property
    def documents(self) -> int: ...
    @property
    def layout(self) -> tuple[int, int, int]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def text_bytes(self) -> int: ...
    def verify(self, progress: Callable[..., Any] | None) -> None: ...

@final
class Phrases:
    @staticmethod
    def from_items(
        split: str | Phrases, delimiter: str, items: list[tuple[str, str, int, float]]
    ) -> Phrases: ...
    def __len__(self) -> int: ...
    def items(self) -> list[tuple[str, str, int, float]]: ...
    def cut(self, text: str) -> list[str]: ...

def train_phrases(
    source: Source,
    *,
    min_count: int,
    threshold: float | None,
    scoring: str,
    delimiter: str,
    split: str | Phrases,
    lowercase: bool,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> tuple[Phrases, Report, float]: ...
def encode_files(
    tokenizer: Tokenizer,
    source: Source,
    path: str,
    *,
    special: str,
    start: int | None,
    end: int | None,
    resume: bool,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> Report: ...
def count_tokens(
    tokenizer: Tokenizer,
    source: Source,
    special: str,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> tuple[npt.NDArray[np.uint64], int, int, int, Report]: ...
def token_facts(tokenizer: Tokenizer) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]: ...
def split_pieces(text: str, split: str) -> list[str]: ...
def add_special_tokens(tokenizer: Tokenizer, names: list[str]) -> Tokenizer: ...
def add_tokens(
    tokenizer: Tokenizer, names: list[str], single_word: bool, lstrip: bool, rstrip: bool, normalized: bool
) -> Tokenizer: ...
def file_vocabulary(tokenizer: Tokenizer) -> list[str]: ...
def surroundings(tokenizer: Tokenizer) -> str: ...
def recognize_tokenizer(path: str | PathLike[str]) -> str: ...
def load_gpt2(
    vocabulary: str | PathLike[str], merges: str | PathLike[str], special_tokens: list[str]
) -> Tokenizer: ...
def save_gpt2(tokenizer: Tokenizer, vocabulary: str | PathLike[str], merges: str | PathLike[str]) -> None: ...
def load_bert(path: str | PathLike[str], lowercase: bool | None) -> Tokenizer: ...
def save_bert(tokenizer: Tokenizer, path: str | PathLike[str]) -> None: ...
def load_subword_nmt(
    codes: str | PathLike[str],
    vocabulary: str | PathLike[str] | None,
    unknown_token: str | None,
    special_tokens: list[str],
) -> Tokenizer: ...
def save_subword_nmt(
    tokenizer: Tokenizer, codes: str | PathLike[str], vocabulary: str | PathLike[str] | None
) -> None: ...
def extend_bpe(
    tokenizer: Tokenizer,
    source: Source,
    *,
    vocab_size: int | None,
    merges: int | None,
    min_frequency: int,
    max_token_length: int | None,
    tie_break: str,
    threads: int | None,
    progress: Callable[..., Any] | bool | None,
) -> tuple[Tokenizer, Report]: ...
def train_bpe(
    source: Source,
    *,
    vocab_size: int | None,
    merges: int | None,
    split: str,
    symbols: str,
    end_of_word: str | None,
    space_prefix: bool,
    tie_break: str,
    min_frequency: int,
    special_tokens: list[str],
    unknown_token: str | None,
    limit_alphabet: int | None,
    initial_alphabet: list[str],
    max_token_length: int | None,
    seed_merges: list[tuple[str, str]],
    forbidden_merges: list[tuple[str, str]],
    threads: int | None,
    progress: Callable[..., Any] | bool | None,
) -> tuple[Tokenizer, Report]: ...
def train_unigram(
    source: Source,
    *,
    vocab_size: int,
    split: str,
    space_prefix: bool,
    byte_fallback: bool,
    character_coverage: float,
    max_token_length: int,
    seed_size: int,
    shrink_factor: float,
    iterations: int,
    special_tokens: list[str],
    unknown_token: str | None,
    threads: int | None,
    progress: Callable[..., Any] | bool | None,
) -> tuple[Tokenizer, Report]: ...
def train_level(
    source: Source,
    *,
    kind: str,
    vocab_size: int | None,
    split: str,
    order: str,
    min_frequency: int,
    special_tokens: list[str],
    unknown_token: str | None,
    threads: int | None,
    progress: Callable[..., Any] | bool | None,
) -> tuple[Tokenizer, Report]: ...
