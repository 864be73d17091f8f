# Every task of the project; CI calls the same ones. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/test-results/*')
PAGE := python/textgrain/explorer/static/index.html
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
STAMPS := $(VENV)/.stamps

.PHONY: help
help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

# ---- Set-up -------------------------------------------------------------------------------------

.PHONY: check-toolchain
check-toolchain:
	@command -v cargo >/dev/null || { \
	  echo 'textgrain: cargo was not found. Install the Rust toolchain from https://rustup.rs and run this again.' >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo 'textgrain: Python 3.10 or newer is needed; name one with `make PYTHON=python3.12 ...`.' >&2; exit 1; }

$(STAMPS)/python: requirements-dev.txt | check-toolchain
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@mkdir -p $(STAMPS) && touch $@

.PHONY: check-node
check-node:
	@command -v npm >/dev/null || { \
	  echo 'textgrain: npm was not found. Install Node 20.19 or newer from https://nodejs.org and run this again.' >&2; \
	  exit 1; }

web/node_modules/.package-lock.json: web/package-lock.json | check-node
	npm --prefix web ci --silent --no-fund --no-audit
	@touch $@

$(PAGE): web/node_modules/.package-lock.json $(WEB_SOURCES)
	npm --prefix web run --silent build
	@touch $@

.PHONY: web
web: $(PAGE) ## Build the page of the explorer into the package.

$(STAMPS)/native: $(STAMPS)/python $(PAGE) $(RUST_SOURCES) pyproject.toml
	$(BIN)/maturin develop --release --locked --quiet
	@touch $@

.PHONY: install
install: $(STAMPS)/native ## Build the package (release) and install it with all development tools.

.PHONY: profile-tools
profile-tools: check-toolchain
	@rustup component list --installed | grep -q llvm-tools || rustup component add llvm-tools

$(STAMPS)/profiled: $(STAMPS)/native benchmarks/workload.py | profile-tools
	$(BIN)/maturin develop --release --locked --quiet --pgo
	@touch $@

.PHONY: install-profiled
install-profiled: $(STAMPS)/profiled ## Install a build for which the compiler saw what runs often, as in a wheel.

.PHONY: wheel
wheel: $(STAMPS)/python $(PAGE) profile-tools ## Build a wheel for this version of Python into dist/.
	$(BIN)/maturin build --release --locked --pgo --out dist

# ---- Use ----------------------------------------------------------------------------------------

.PHONY: demo
demo: install ## Train on the built-in sample and show the result.
	$(BIN)/textgrain demo

# ---- Checks -------------------------------------------------------------------------------------

.PHONY: test
test: install ## Run all Python tests, in a process for each processor.
	$(BIN)/pytest --numprocesses auto

.PHONY: test-levels
test-levels: install ## Run the tests that compare with twins, peers and golden files on each lower level of processor.
	@for level in $$($(BIN)/python -c 'import textgrain; print(*textgrain.processor_levels()[:-1])'); do \
	  echo "level $$level"; export TEXTGRAIN_SIMD=$$level; \
	  $(BIN)/pytest --numprocesses auto tests/conformance tests/differential tests/reference || exit 1; \
	  $(BIN)/pytest --numprocesses auto -m shared --ignore tests/differential || exit 1; \
	done

.PHONY: test-rust
test-rust: check-toolchain ## Run the Rust tests.
	cargo test --locked --workspace

ARM := aarch64-unknown-linux-gnu

.PHONY: check-arm
check-arm: check-toolchain ## Lint for 64-bit ARM, and run the kernels there in an emulator.
	@rustup target add $(ARM)
	@command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || { \
	  echo 'textgrain: a compiler and an emulator for ARM were not found. On Debian: apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross' >&2; \
	  exit 1; }
	cargo clippy --locked --target $(ARM) -p textgrain-core --all-targets -- -D warnings
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER='qemu-aarch64 -L /usr/aarch64-linux-gnu' \
	  cargo test --locked --target $(ARM) -p textgrain-core --lib -- simd:: embed::

# The layout of objects differs between versions of the interpreter: the oldest, and the newest without a lock.
PYTHONS := 3.10 3.14t

.PHONY: check-pythons
check-pythons: check-toolchain ## Lint the module for other versions of Python, which need not be installed.
	@mkdir -p target/pythons
	@for python in $(PYTHONS); do \
	  { printf 'implementation=CPython\nversion=%s\nshared=true\npointer_width=64\n' "$${python%t}"; \
	    printf 'suppress_build_script_link_lines=true\n'; \
	    case $$python in *t) printf 'build_flags=Py_GIL_DISABLED\n';; esac; } >target/pythons/$$python.cfg; \
	  echo "cargo clippy for Python $$python"; \
	  PYO3_CONFIG_FILE=$(CURDIR)/target/pythons/$$python.cfg CARGO_TARGET_DIR=target/pythons \
	    cargo clippy --locked --quiet -p textgrain-python --lib -- -D warnings || exit 1; \
	done

.PHONY: lint
lint: install ## Check format, lints and types of Rust and Python.
	cargo fmt --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest textgrain._native

.PHONY: lint-web
lint-web: $(PAGE) ## Check format and types of the page, and test its parts.
	npm --prefix web run --silent lint
	npm --prefix web run --silent check
	npm --prefix web run --silent test

.PHONY: check-browser
check-browser:
	@test -x "$(CHROMIUM)" || command -v chromium >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	  else \
	    echo 'textgrain: Chromium was not found. Install it, or name it with `make CHROMIUM=path ...`.' >&2; exit 1; \
	  fi; }

.PHONY: test-browser
test-browser: install check-browser ## Walk through the explorer in Chromium.
	cd web && CHROMIUM="$$(command -v $(or $(CHROMIUM),chromium))" PYTHON="$(abspath $(BIN))/python" npm run --silent browser

.PHONY: format
format: install ## Format Rust and Python.
	cargo fmt
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	npm --prefix web run --silent format

.PHONY: docs
docs: install ## Run every code block of the documentation and the docstrings; build the Rust pages strictly.
	$(BIN)/pytest tests/docs
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps --workspace --quiet

.PHONY: layering
layering: check-toolchain ## Check that the core knows no Python.
	@! cargo tree --locked -p textgrain-core --edges normal | grep -E 'pyo3|numpy' || { \
	  echo 'textgrain-core must not depend on Python' >&2; exit 1; }

.PHONY: ci
ci: ## Everything that CI runs.
	$(MAKE) layering
	$(MAKE) lint
	$(MAKE) check-pythons
	$(MAKE) lint-web
	$(MAKE) test-rust
	$(MAKE) docs
	$(MAKE) test
	$(MAKE) test-browser
	$(MAKE) demo
	$(MAKE) benchmark-smoke

# ---- Speed --------------------------------------------------------------------------------------

CORPUS ?= $(VENV)/sample.txt
ROUNDS ?= 3
TASKS ?= train_bpe train_characters encode_lines encode_batch call_50 decode_arrays word2vec cbow fasttext
SIMILARITY ?=
ANALOGIES ?=
EPOCHS ?= 1

$(VENV)/sample.txt: python/textgrain/data/economics.txt.gz $(STAMPS)/native
	gzip -dc $< > $@

.PHONY: benchmark-peers
benchmark-peers: ## Install the libraries to compare with, in an environment of their own.
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements-peers.txt

.PHONY: benchmark
benchmark: install-profiled ## Compare speed and results with other libraries: CORPUS=files ROUNDS=n TASKS="..." RANKS=file.
	$(BIN)/python benchmarks/run.py --corpus $(CORPUS) --rounds $(ROUNDS) --tasks $(TASKS) \
	  --similarity $(SIMILARITY) --analogies $(ANALOGIES) --epochs $(EPOCHS) $(if $(RANKS),--ranks $(RANKS)) \
	  $(if $(SIMD),--simd $(SIMD))

.PHONY: benchmark-smoke
benchmark-smoke: $(VENV)/sample.txt ## One round on the built-in sample, to see that the benchmarks and the workload run.
	$(BIN)/python benchmarks/workload.py
	$(BIN)/python benchmarks/run.py --corpus $(VENV)/sample.txt --rounds 1 --passes 1 --threads 1 --tasks $(TASKS)

.PHONY: benchmark-kernels
benchmark-kernels: check-toolchain ## Time the steps of training on each instruction set of this processor.
	cargo run --locked --release -p textgrain-core --example kernel_speed

# ---- Fuzzing ------------------------------------------------------------------------------------

FUZZ_TARGETS := tokenizer_file rank_file vectors_file corpus_file split encode
FUZZ_SECONDS ?= 300

.PHONY: fuzz
fuzz: ## Let coverage guide damaged inputs for FUZZ_SECONDS a target (needs a nightly toolchain and cargo-fuzz).
	@cargo fuzz --version >/dev/null 2>&1 || { \
	  echo 'textgrain: cargo-fuzz was not found. Install it with `cargo install cargo-fuzz --locked`.' >&2; exit 1; }
	@for target in $(FUZZ_TARGETS); do \
	  mkdir -p target/fuzz-corpus/$$target; \
	  cargo +nightly fuzz run --fuzz-dir fuzz/libfuzzer $$target target/fuzz-corpus/$$target fuzz/seeds -- \
	    -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -rss_limit_mb=4096 || exit 1; \
	done

.PHONY: clean
clean: ## Remove what the other tasks made.
	rm -rf target $(VENV) dist demo-output web/node_modules web/test-results python/textgrain/explorer/static .hypothesis .mypy_cache .pytest_cache .ruff_cache
