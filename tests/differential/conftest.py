"""Files of other programs that several tests here read."""

import gzip
import shutil
import subprocess

import pytest

#: tokenizer.json files of Hugging Face tokenizers, by the name of their golden ids.
FILES = {
    "gpt2": "gpt2.tokenizer.json.gz",
    "qwen3": "qwen3.tokenizer.json.zst",
    "gptoss": "gptoss.tokenizer.json.zst",
    "deepseek_v3": "deepseek_v3.tokenizer.json.gz",
    "claude": "claude.tokenizer.json.gz",
    "mistral_v1": "mistral_v1.tokenizer.json.gz",
    "minilm_l6": "minilm_l6.tokenizer.json.gz",
    "bytebpe8k": "trained/hf_bytebpe8k.tokenizer.json.gz",
    "bpe8k_whitespace": "trained/hf_bpe8k_whitespace.tokenizer.json.gz",
    "bpe6k_eow": "trained/hf_bpe6k_eow.tokenizer.json.gz",
    "wordpiece8k": "trained/hf_wordpiece8k.tokenizer.json.gz",
    "unigram8k": "trained/hf_unigram8k.tokenizer.json.gz",
    "wordlevel8k": "trained/hf_wordlevel8k.tokenizer.json.gz",
}


def read(path):
    content = path.read_bytes()
    if path.suffix == ".zst":
        if shutil.which("zstd") is None:
            pytest.skip("needs the program zstd")
        return subprocess.run(["zstd", "-dc"], input=content, capture_output=True, check=True).stdout
    return gzip.decompress(content)


@pytest.fixture(scope="session")
def decompressed():
    """The content of a compressed file."""
    return read


@pytest.fixture(scope="module", params=FILES)
def foreign_file(request, shared_data):
    """The name and the content of each ``tokenizer.json``."""
    return request.param, read(shared_data / "data/tokenizers" / FILES[request.param])
