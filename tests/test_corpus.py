"""Where text comes from: what becomes a document, what is refused, what is reported."""

import copy
import gzip
import pickle
from pathlib import Path

import pytest

import textgrain as tg
from textgrain.corpus import as_corpus
from textgrain.exceptions import CorpusError, FormatError, InvalidTextWarning, ParameterError


def documents(corpus):
    """The different documents of a corpus in the order of their frequency, seen through a trainer."""
    tokenizer = tg.WordLevel(split="none", unknown_token=None).train(corpus)
    return tokenizer.vocabulary


def words(corpus):
    return tg.WordLevel(split="whitespace", unknown_token=None).train(corpus).vocabulary


@pytest.fixture
def write(tmp_path):
    def make(content, name="a.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


class TestFiles:
    def test_one_path_many_paths_and_strings(self, write, tmp_path):
        first, second = write("one\n", "1.txt"), write("two\n", "2.txt")
        assert documents(tg.Corpus.from_files(first)) == ["one"]
        assert documents(tg.Corpus.from_files(str(first))) == ["one"]
        assert documents(tg.Corpus.from_files([second, str(first)])) == ["two", "one"]
        assert documents(tg.Corpus.from_files(path for path in (first, second))) == ["one", "two"]

    def test_a_pattern_is_read_in_the_order_of_names(self, write, tmp_path):
        for name in ("b.txt", "a.txt", "c.log"):
            write(name, name)
        assert documents(tg.Corpus.from_files(tmp_path / "*.txt")) == ["a.txt", "b.txt"]
        assert documents(tg.Corpus.from_files(str(tmp_path / "[bc].*"))) == ["b.txt", "c.log"]

    def test_a_pattern_below_folders(self, write, tmp_path):
        (tmp_path / "deep" / "er").mkdir(parents=True)
        write("x", "deep/er/x.txt")
        write("y", "y.txt")
        assert documents(tg.Corpus.from_files(tmp_path / "**" / "*.txt")) == ["x", "y"]

    def test_a_path_that_exists_is_no_pattern(self, write, tmp_path):
        write("other", "ab.txt")
        assert documents(tg.Corpus.from_files(write("this", "a[b].txt"))) == ["this"]

    def test_non_ascii_paths(self, write):
        assert documents(tg.Corpus.from_files(write("x", "naïve 文字.txt"))) == ["x"]

    def test_only_newline_ends_a_line(self, write):
        path = write("a\u2028b\n\nc\x0bd\x85e\n\n\nf")
        assert documents(tg.Corpus.from_files(path)) == ["a\u2028b", "c\x0bd\x85e", "f"]

    def test_carriage_returns_stay_in_the_document_and_separate_words(self, write):
        path = write("a b\r\nc\r\n")
        assert words(tg.Corpus.from_files(path)) == ["a", "b", "c"]

    def test_a_byte_order_mark_is_not_text(self, write):
        mark = "\ufeff".encode()
        paths = [write(mark + b"a\n", "1"), write(gzip.compress(mark + b"b\n"), "2"), write(mark, "3")]
        assert documents(tg.Corpus.from_files(paths)) == ["a", "b"]
        assert documents(tg.Corpus.from_files(write("a\n\ufeffb", "4"))) == ["a", "\ufeffb"]

    def test_files_as_documents(self, write):
        paths = [write("a\nb\n", "1"), write("", "2"), write("c", "3")]
        assert documents(tg.Corpus.from_files(paths, documents="files")) == ["a\nb\n", "c"]

    def test_a_separator(self, write):
        path = write("a\nb<|end|>c<|end|><|end|>d<|end")
        assert documents(tg.Corpus.from_files(path, documents="<|end|>")) == ["a\nb", "c", "d<|end"]

    @pytest.mark.parametrize("before", range(5))
    def test_a_separator_that_overlaps_itself(self, write, before):
        """Wherever a batch of a mebibyte ends, the documents are the same."""
        start, end = "x" * (2**20 - before), "y" * 2**20
        path = write(f"{start}\n\n\n{end}")
        assert documents(tg.Corpus.from_files(path, documents="\n\n")) == [start, "\n" + end]

    def test_files_do_not_run_into_each_other(self, write):
        assert words(tg.Corpus.from_files([write("one", "1"), write("two", "2")])) == ["one", "two"]

    def test_compression_is_found_by_content(self, write):
        paths = [write(gzip.compress(b"one\n"), "1.txt"), write(gzip.compress(b"two\n") * 2, "2.zst")]
        assert words(tg.Corpus.from_files(paths)) == ["two", "one"]

    def test_zstandard(self, write):
        # A frame written out by hand: magic, header (single segment, 6 bytes), one raw last block.
        frame = bytes.fromhex("28b52ffd 20 06 310000") + b"one\ntw"
        assert documents(tg.Corpus.from_files(write(frame))) == ["one", "tw"]

    def test_nul_is_text(self, write):
        assert documents(tg.Corpus.from_files(write(b"a\0b\nc"))) == ["a\0b", "c"]

    def test_a_line_longer_than_any_buffer(self, write):
        long = "wörd " * 1_000_000
        assert documents(tg.Corpus.from_files(write(f"a\n{long}\nb"))) == ["a", long, "b"]

    def test_reading_is_lazy_and_repeatable(self, write):
        path = write("one\n")
        corpus = tg.Corpus.from_files(path)
        assert documents(corpus) == ["one"]
        path.write_text("two\nthree\n")
        assert documents(corpus) == ["two", "three"]


class TestRefusedFiles:
    def test_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError) as caught:
            tg.Corpus.from_files(tmp_path / "none.txt")
        assert Path(caught.value.filename) == tmp_path / "none.txt"

    def test_missing_among_others_is_found_before_reading(self, write, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"none\.txt"):
            tg.Corpus.from_files([write("one"), tmp_path / "none.txt"])

    def test_gone_before_it_is_read(self, write):
        path = write("one")
        corpus = tg.Corpus.from_files(path)
        path.unlink()
        with pytest.raises(FileNotFoundError) as caught:
            documents(corpus)
        assert Path(caught.value.filename) == path

    def test_directory(self, tmp_path):
        with pytest.raises(IsADirectoryError, match="name its files"):
            tg.Corpus.from_files(tmp_path)

    def test_pattern_without_a_match(self, tmp_path):
        with pytest.raises(CorpusError, match="no file matches the pattern"):
            tg.Corpus.from_files(tmp_path / "*.txt")

    def test_no_paths(self):
        with pytest.raises(CorpusError, match="at least one path"):
            tg.Corpus.from_files([])

    def test_empty_separator(self, write):
        with pytest.raises(ParameterError, match="`documents` must not be an empty separator") as caught:
            tg.Corpus.from_files(write("a"), documents="")
        assert caught.value.name == "documents"

    def test_unknown_error_rule(self, write):
        with pytest.raises(ParameterError, match="`errors` must be"):
            tg.Corpus.from_files(write("a"), errors="ignore")

    @pytest.mark.parametrize("cut", [12, 30, -1])
    def test_compressed_data_that_is_cut_off(self, write, cut):
        path = write(gzip.compress(bytes(range(97, 123)) * 40)[:cut])
        with pytest.raises(FormatError, match="damaged or cut off") as caught:
            documents(tg.Corpus.from_files(path))
        assert caught.value.path == path
        assert caught.value.offset is not None


class TestInvalidText:
    def test_replaced_counted_and_reported_by_default(self, write):
        path = write(b"ab\xff\nc\xc3\n\xe2\x82 \xf0\x9f\x98")
        with pytest.warns(InvalidTextWarning, match="4 invalid UTF-8 sequences replaced") as caught:
            assert documents(tg.Corpus.from_files(path)) == ["ab\ufffd", "c\ufffd", "\ufffd \ufffd"]
        assert f"{path} byte 2, {path} byte 5, {path} byte 7, …" in str(caught[0].message)
        assert caught[0].filename == __file__

    def test_one_is_not_called_many(self, write):
        with pytest.warns(InvalidTextWarning, match=r"1 invalid UTF-8 sequence replaced .* byte 1\."):
            documents(tg.Corpus.from_files(write(b"a\xff")))

    def test_strict_names_file_and_byte(self, write):
        good, bad = write("fine\n", "good"), write("é\nok ".encode() + b"\x80\n", "bad")
        corpus = tg.Corpus.from_files([good, bad], errors="strict")
        with pytest.raises(FormatError, match="byte 6: not valid UTF-8") as caught:
            documents(corpus)
        assert (caught.value.path, caught.value.offset, caught.value.line) == (bad, 6, None)

    def test_strict_beyond_the_first_megabyte(self, write):
        path = write(b"word \n" * 400_000 + b"\xfe")
        with pytest.raises(FormatError) as caught:
            documents(tg.Corpus.from_files(path, errors="strict"))
        assert caught.value.offset == 2_400_000

    def test_the_place_counts_the_byte_order_mark(self, write):
        path = write(b"\xef\xbb\xbfa\xff")
        with pytest.raises(FormatError) as caught:
            documents(tg.Corpus.from_files(path, errors="strict"))
        assert caught.value.offset == 4

    def test_utf16_is_not_read_as_something_else_in_silence(self, write):
        with pytest.warns(InvalidTextWarning):
            documents(tg.Corpus.from_files(write("text".encode("utf-16"))))


class TestIterables:
    def test_a_list_is_read_where_it_is(self):
        source = ["one", "two"]
        corpus = tg.Corpus.from_iterable(source)
        assert documents(corpus) == ["one", "two"]
        source[:] = ["three"]
        assert documents(corpus) == ["three"]

    def test_a_generator_is_spooled_and_can_be_read_again(self):
        corpus = tg.Corpus.from_iterable(word for word in ["one", "é\u2028", "\0"])
        assert repr(corpus) == "Corpus.from_iterable(<3 spooled documents>)"
        assert documents(corpus) == documents(corpus) == ["one", "é\u2028", "\0"]

    def test_an_object_that_starts_anew(self):
        class Twice:
            started = 0

            def __iter__(self):
                self.started += 1
                return iter(["one", "two"])

        source = Twice()
        corpus = tg.Corpus.from_iterable(source)
        assert documents(corpus) == documents(corpus) == ["one", "two"]
        assert source.started == 3  # one look whether it is read once only, two readings

    def test_a_document_may_hold_newlines(self):
        assert documents(["a\nb", "c"]) == ["a\nb", "c"]

    @pytest.mark.parametrize("text", ["a single string", b"bytes"])
    def test_a_bare_string_is_refused(self, text):
        with pytest.raises(TypeError, match=r"Corpus\.from_files"):
            tg.Corpus.from_iterable(text)

    def test_a_mapping_is_refused(self):
        with pytest.raises(TypeError, match=r"Corpus\.from_counts"):
            tg.Corpus.from_iterable({"a": 1})

    def test_not_iterable(self):
        with pytest.raises(TypeError):
            tg.Corpus.from_iterable(3)

    @pytest.mark.parametrize("bad", [1, None, b"bytes", ["a", "list"]])
    def test_documents_that_are_not_text(self, bad):
        with pytest.raises(TypeError, match=f"got {type(bad).__name__} for document 1"):
            documents(tg.Corpus.from_iterable(["fine", bad]))
        with pytest.raises(TypeError, match=f"got {type(bad).__name__} for document 1"):
            tg.Corpus.from_iterable(document for document in ["fine", bad])

    def test_an_exception_of_the_source_comes_through(self):
        class Broken:
            def __iter__(self):
                yield "one"
                raise LookupError("the database went away")

        with pytest.raises(LookupError, match="the database went away"):
            documents(tg.Corpus.from_iterable(Broken()))

    def test_lone_surrogates_become_the_replacement_character(self):
        """They are no characters, though a Python string can hold them."""
        assert documents(tg.Corpus.from_iterable(["ok", "bad \ud800"])) == ["ok", "bad \ufffd"]

    @pytest.mark.parametrize("source", [[], ["", ""], ["\n", "  ", "\u2028"]])
    def test_nothing_to_train_on(self, source):
        with pytest.raises(CorpusError):
            words(tg.Corpus.from_iterable(source))


class TestCounts:
    def test_words_are_pieces_whatever_the_rule(self):
        assert words({"two words": 1, "one": 2}) == ["one", "two words"]

    def test_counts_beyond_32_bits(self):
        corpus = tg.Corpus.from_counts({"the": 3_000_000_000, "then": 2**59})
        history = tg.BPE(merges=1, symbols="characters").train(corpus).history
        assert history[0].total == 3_000_000_000 + 2**59

    def test_totals_beyond_64_bits_are_refused(self):
        with pytest.raises(ParameterError, match="Divide all counts"):
            tg.BPE(merges=1).train({"the": 2**62, "then": 2**62})

    def test_numpy_counts(self):
        numpy = pytest.importorskip("numpy")
        assert words({"a": numpy.int64(1), "b": numpy.uint8(2)}) == ["b", "a"]

    @pytest.mark.parametrize("count", [-1, 1.5, "3", True, None, float("nan")])
    def test_bad_counts(self, count):
        with pytest.raises(CorpusError, match="the count of 'word' must be a whole number"):
            tg.Corpus.from_counts({"word": count})

    def test_a_count_beyond_64_bits(self):
        with pytest.raises((CorpusError, OverflowError)):
            tg.Corpus.from_counts({"word": 2**64})

    def test_words_must_be_text(self):
        with pytest.raises(TypeError, match="words must be str, got int"):
            tg.Corpus.from_counts({1: 1})

    @pytest.mark.parametrize("counts", [{}, {"a": 0}, {"": 5}])
    def test_nothing_to_train_on(self, counts):
        with pytest.raises(CorpusError):
            words(tg.Corpus.from_counts(counts))


class TestValue:
    def test_pickling_and_copying(self, write):
        class_corpora = [
            tg.Corpus.from_files(write("one two\n"), documents=" ", errors="strict"),
            tg.Corpus.from_iterable(["one", "two"]),
            tg.Corpus.from_iterable(word for word in ["one", "two"]),
            tg.Corpus.from_counts({"one": 2, "two": 1}),
        ]
        for corpus in class_corpora:
            for twin in (pickle.loads(pickle.dumps(corpus)), copy.copy(corpus), copy.deepcopy(corpus)):
                assert repr(twin) == repr(corpus)
                assert documents(twin) == documents(corpus)

    def test_repr(self, write):
        path = write("a")
        assert repr(tg.Corpus.from_files(path)) == f"Corpus.from_files({str(path)!r})"
        assert repr(tg.Corpus.from_files([path, path])) == f"Corpus.from_files({str(path)!r}, and 1 more)"
        assert repr(tg.Corpus.from_counts({"a": 1})) == "Corpus.from_counts(<1 words>)"

    def test_trainers_take_what_as_corpus_takes(self):
        corpus = tg.Corpus.from_iterable(["a"])
        assert as_corpus(corpus) is corpus
        assert repr(as_corpus(["a"])) == "Corpus.from_iterable(<list of 1>)"
        assert repr(as_corpus({"a": 1})) == "Corpus.from_counts(<1 words>)"
        with pytest.raises(TypeError):
            as_corpus("a.txt")


@pytest.mark.parametrize(
    "trainer",
    [tg.BPE(merges=9), tg.WordPiece(vocab_size=99), tg.Unigram(vocab_size=99), tg.CharLevel(), tg.Phrases()],
    ids=lambda trainer: type(trainer).__name__,
)
def test_an_iterator_that_was_used_up_is_told_of(trainer):
    documents = (text for text in ["fever and cough"] * 50)
    assert len(list(documents)) == 50
    with pytest.raises(CorpusError, match=r"yielded no document\..*probably used up before\. Pass a list"):
        trainer.train(documents)


def test_an_empty_iterator_is_encoded_all_the_same(tmp_path):
    tokenizer = tg.BPE(merges=9).train(["fever and cough"])
    assert len(tokenizer.encode_files(iter([]), tmp_path / "none.ids")) == 0
