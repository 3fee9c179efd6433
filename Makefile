# Two commands do everything, set-up included: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
N ?= 5000
SEED ?= 0
BASE ?= HEAD
CHECKED := src tests benchmarks docs examples tools

# One thread for each process of NumPy's: the tests bring their own parallelism.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo shell test fuzz same bench docs update-docs lint format types clean help

help:
	@echo "make demo     a gradient to read, and a translator trained by one (3 minutes)"
	@echo "make shell    a shell in which the command anadrome is known"
	@echo "make test     every test"
	@echo "make fuzz     random programs against Python and differences (N=$(N) SEED=$(SEED))"
	@echo "make same     whether a change leaves every program as it was (BASE=HEAD)"
	@echo "make bench    everything timed beside JAX, PyTorch and autograd (QUICK=1 ONLY=lstm)"
	@echo "make docs     the documentation, in docs/_build/html"
	@echo "make update-docs   write what the code of the documents prints into them"
	@echo "make lint     style; make format puts right what can be"
	@echo "make types    the type checker"

# A stamp for each set of requirements, made anew when they change.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[$(subst -,$(comma),$*)]"
	@touch $@

comma := ,
.PRECIOUS: $(VENV)/.installed-%

TESTING := $(VENV)/.installed-test-toolkit-text
LINTING := $(VENV)/.installed-lint
WRITING := $(VENV)/.installed-docs
BENCH := .venv-bench
BENCHING := $(BENCH)/.installed

$(BENCHING): pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --editable ".[bench]"
	@touch $@

demo: $(TESTING)
	@rm -rf demo
	@$(BIN)/anadrome demo --out demo

# The commands that the README and the demonstration print can be typed here as they are.
shell: $(TESTING)
	@echo "anadrome is known here; Ctrl-D leaves"
	@PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)" "$${SHELL:-/bin/sh}" || true

test: $(TESTING)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

fuzz: $(TESTING)
	$(BIN)/python tests/fuzz/run.py --programs $(N) --seed $(SEED) --workers $(WORKERS)
	$(BIN)/python tests/fuzz/semantics/run.py --programs $(N) --seed $(SEED) \
		--workers $(WORKERS) --state .cache-fuzz/$(SEED).jsonl

same: $(TESTING)
	$(BIN)/python tools/same.py --base $(BASE) --workers $(WORKERS)

# The peers are large, so they have an environment of their own.
bench: $(BENCHING)
	$(BENCH)/bin/python -m benchmarks.run $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

docs: $(TESTING) $(WRITING)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

update-docs: $(TESTING)
	$(BIN)/python tests/project/markdown_blocks.py --update README.md docs/*.md docs/design/*.md

lint: $(LINTING)
	$(BIN)/python -m ruff check $(CHECKED)
	$(BIN)/python -m ruff format --check $(CHECKED)

format: $(LINTING)
	$(BIN)/python -m ruff check --fix $(CHECKED)
	$(BIN)/python -m ruff format $(CHECKED)

types: $(TESTING) $(LINTING)
	$(BIN)/python -m mypy

clean:
	rm -rf docs/_build .cache-fuzz .pytest_cache .mypy_cache .ruff_cache .hypothesis
