"""Tokenizers and their results in other processes and in many threads, without warnings or waiting."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import sysconfig
import textwrap
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import textgrain as tg

TEXT = "low lower lowest ⭢ newer "


@pytest.fixture(scope="module")
def tokenizer():
    return tg.BPE(merges=10, special_tokens=["<end>"]).train([TEXT])


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_worker_processes(tokenizer, method):
    """As data loaders use them: the tokenizer goes there, encodings come back."""
    expected = tokenizer.encode_batch([TEXT * 100] * 8)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(tokenizer.encode, [TEXT * 100] * 8))
    assert found == expected
    assert found[0].tokens == expected[0].tokens
    assert found[0].offsets == expected[0].offsets


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_in_the_middle_of_other_threads_work():
    """A lock that another thread held at the fork would never be free again in the child."""
    program = textwrap.dedent("""
        import os, sys, threading, warnings
        import textgrain as tg
        tokenizer = tg.BPE(merges=10).train(["low lower lowest"])
        expected = tokenizer.encode_ids("lower low").tolist()
        stop = threading.Event()
        def work():
            while not stop.is_set():
                tokenizer.encode_ids("low lower")
                tokenizer.encode_ids_batch(["low"] * 50, threads=2)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        # Python itself warns of any fork beside threads from 3.12 on.
        warnings.simplefilter("ignore", DeprecationWarning)
        for _ in range(40):
            child = os.fork()
            if child == 0:
                one = tokenizer.encode_ids("lower low").tolist()
                many = tokenizer.encode_ids_batch(["lower low"] * 100, threads=2)[0].tolist()
                os._exit(0 if one == expected and many == expected * 100 else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for thread in threads:
            thread.join()
        print("all done")
    """)
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert child.stdout == "all done\n", child.stderr
    assert child.stderr == "", "no warnings"


def test_threads_share_a_tokenizer(tokenizer):
    expected = tokenizer.encode_ids(TEXT * 50).tolist()
    start = threading.Barrier(8)

    def work():
        start.wait()
        for _ in range(20):
            assert tokenizer.encode_ids(TEXT * 50).tolist() == expected
            assert tokenizer.decode(expected) == TEXT * 50
            assert tokenizer.encode(TEXT, max_tokens=3).offsets[0] == (0, 3)

    with ThreadPoolExecutor(8) as pool:
        for job in [pool.submit(work) for _ in range(8)]:
            job.result()


def test_encodings_are_pickled_with_one_tokenizer(tokenizer):
    encodings = tokenizer.encode_batch([f"{TEXT}{number}" for number in range(100)])
    one, all_of_them = len(pickle.dumps(encodings[:1])), len(pickle.dumps(encodings))
    assert all_of_them < one + 100 * 400
    for twin, encoding in zip(pickle.loads(pickle.dumps(encodings)), encodings, strict=True):
        assert twin == encoding
        assert twin.tokens == encoding.tokens
        assert twin.byte_offsets == encoding.byte_offsets
    start = tokenizer.encode(TEXT, max_tokens=2)
    for twin in (pickle.loads(pickle.dumps(start)), copy.copy(start), copy.deepcopy(start)):
        assert twin == start
        assert twin.truncated
        assert twin.offsets == start.offsets
        with pytest.raises(ValueError, match="read-only"):
            twin.ids[0] = 1


def test_other_results_can_be_pickled(tokenizer):
    batch = tokenizer.encode_padded([TEXT, "low"])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(batch)).ids, batch.ids)
    figures = tokenizer.statistics([TEXT])
    assert pickle.loads(pickle.dumps(figures)).as_dict() == figures.as_dict()


def test_a_stream_stays_where_it_is(tokenizer):
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(tokenizer.stream())


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs free-threaded Python")
def test_importing_the_module_does_not_turn_the_lock_on():
    source = "import sys, textgrain; assert not sys._is_gil_enabled()"
    child = subprocess.run([sys.executable, "-W", "error", "-c", source], capture_output=True, text=True)
    assert (child.returncode, child.stderr) == (0, "")
