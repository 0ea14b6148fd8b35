# Two commands do everything: `make reproduce` and `make test`. The rest are their parts.
SHELL  := /bin/bash
PYTHON ?= python3
VENV   ?= .venv
CORES  ?= $(shell getconf _NPROCESSORS_ONLN)
SCOPE  ?= quick
SEED   ?= 1
SAMPLE ?= 200
ROUNDS ?= 300
BIN    := $(VENV)/bin
FULL   := --results results/full --scope full
STAMPS := $(VENV)/.stamps
CORE_SOURCES := CMakeLists.txt pyproject.toml src/core/CMakeLists.txt \
	$(wildcard src/core/*/*.cpp src/core/*/*.hpp)

.DEFAULT_GOAL := help
.PHONY: help build reproduce report test lint check benchmarks docs mutants fuzz calibrate lock clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# What a machine must have, asked first and every time, so that nothing fails half-way with a page of compiler noise.
.PHONY: machine
machine:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "error: $(PYTHON) is missing or older than 3.11; install Python 3.11 or later (Debian/Ubuntu: apt install python3), or say make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "error: $(PYTHON) has no venv module; install it (Debian/Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || \
		{ echo "error: the headers of $(PYTHON) are missing; install them (Debian/Ubuntu: apt install python3-dev)" >&2; exit 1; }
	@for compiler in $(if $(filter environment,$(origin CXX)),$(firstword $(CXX)),c++ g++ clang++); do command -v $$compiler >/dev/null && exit 0; done; \
		echo "error: no C++ compiler found; install one (Debian/Ubuntu: apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install; conda: cxx-compiler), or point CXX at yours" >&2; exit 1

# Runs pip: the steps that one waits for appear with the seconds since the start, all of its output goes to a log, whose
# end appears if it fails.
define pip
@set -o pipefail; SECONDS=0; log=$(STAMPS)/$(@F).log; \
$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off $(1) 2>&1 | tee $$log | while IFS= read -r line; do \
	case "$$line" in Collecting*|Installing*|*\[[0-9]*/[0-9]*\]*) printf '%5d s  %.110s\n' $$SECONDS "$$line";; esac; done \
|| { tail -n 40 $$log >&2; echo "error: pip failed; all of its output is in $$log" >&2; exit 1; }; \
echo "      done in $$SECONDS s"
endef

# Python compiles what is imported. pip would compile all packages, which takes it 16 s.
$(STAMPS)/venv: requirements.lock | machine
	@echo "[1/2] environment: $(VENV) from the $$(grep -c '^[a-z].*==' requirements.lock) packages of requirements.lock, hashes checked"
	@$(PYTHON) -m venv $(VENV) && mkdir -p $(STAMPS)
	$(call pip,--require-hashes --no-compile -r requirements.lock)
	@touch $@

$(STAMPS)/build: $(CORE_SOURCES) | $(STAMPS)/venv
	@echo "[2/2] package: compiling the C++ core"
	$(call pip,-v --no-build-isolation --no-deps -e .)
	@touch $@
$(STAMPS)/build: $(STAMPS)/venv

build: $(STAMPS)/build  ## set up the environment and build the package with its core

# One thread for BLAS and OpenMP where processes share the cores: threads that wait for each other spin. A user's own
# settings stand, and cells set theirs. What Python compiles, and pytest rewrites, is kept for the next process.
reproduce report lint check: export OMP_NUM_THREADS ?= 1
reproduce report lint check: export OPENBLAS_NUM_THREADS ?= 1
reproduce report lint check: export MKL_NUM_THREADS ?= 1
reproduce report lint check: export VECLIB_MAXIMUM_THREADS ?= 1
unexport PYTHONDONTWRITEBYTECODE

reproduce: build  ## run the default scope: data, cells, crosschecks, tables, figures, verdicts, report
	@PATH="$(abspath $(BIN)):$$PATH" python -m cladebench.workflow.folder_lock
	@PATH="$(abspath $(BIN)):$$PATH" snakemake --cores $(CORES) --config scope=$(SCOPE)
	@echo
	@echo "report:   results/$(SCOPE)/report/index.html"
	@echo "verdicts: results/$(SCOPE)/audit.csv"
	@echo "cells:    results/$(SCOPE)/cells.parquet"

report: build  ## make all pages of the full run in results/full, of which git keeps the main ones: two to four minutes
	@echo "[1/2] verdicts and tables"
	@$(MAKE) --no-print-directory --jobs 2 verdicts tables
	@echo "[2/2] pages"
	@$(BIN)/python -m cladebench.cli report $(FULL)

.PHONY: verdicts tables
verdicts:
	@$(BIN)/python -m cladebench.cli audit $(FULL) > /dev/null

tables:
	@$(BIN)/python -m cladebench.cli artifacts $(FULL) --only tables --keep > /dev/null

lint: build  ## style, types, layers, workflow, plain English
	@$(MAKE) --no-print-directory --jobs 2 types style

.PHONY: types style
types:
	$(BIN)/mypy

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/snakefmt --check Snakefile workflow
	PATH="$(abspath $(BIN)):$$PATH" snakemake --lint
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files '*.cpp' '*.hpp')
	$(BIN)/python tools/prose/prose.py

check: build  ## the tests alone; TESTS=path runs a part
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pytest -q -n $(CORES) --dist loadfile --no-loadscope-reorder $(TESTS)

test: lint check  ## everything that a change must pass
	@echo "all checks passed; the tests' own settings are in pyproject.toml, what they cover in tests/README.md"

mutants: build  ## plant small faults in a copy of the sources, count those that the tests catch; SEED=1 SAMPLE=200
	$(BIN)/python tools/mutants/run.py --seed $(SEED) --sample $(SAMPLE) --cores $(CORES)

fuzz: build  ## spoiled arguments for all that the core exports, under sanitizers; SEED=1 ROUNDS=300
	$(BIN)/python tools/fuzz/fuzz.py --seed $(SEED) --rounds $(ROUNDS)

calibrate: build  ## simulate true and false claims through the audit: how often verdicts are wrong (docs/calibration.md)
	$(BIN)/python tools/calibrate/calibrate.py --cores $(CORES)

benchmarks: build  ## each kernel against its twin and the best public peer, as ratios in one run
	$(BIN)/python -m pytest benchmarks

# Sphinx and what it needs have an environment of their own, which sees the packages of the main one behind its own.
DOCS := build/docs/venv
$(DOCS)/.stamp: docs/requirements.lock | $(STAMPS)/build
	@echo "[1/2] environment: $(DOCS) from docs/requirements.lock, hashes checked"
	@$(BIN)/python -m venv --clear $(DOCS)
	@$(DOCS)/bin/python -m pip install --disable-pip-version-check --progress-bar off --quiet --require-hashes -r docs/requirements.lock
	@main=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
		echo "import site; site.addsitedir('$$main')" > "$$($(DOCS)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/main_environment.pth"
	@touch $@

docs: build $(DOCS)/.stamp  ## the documentation site, with pictures: build/docs/html/index.html
	@echo "[2/2] pages"
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(DOCS)/bin/python docs/site/build.py

# Packages of requirements.lock that the site's environment sees there.
SEEN := cloudpickle joblib narwhals numpy scikit-learn scipy threadpoolctl
lock: machine  ## resolve requirements.lock and docs/requirements.lock anew (needs uv on the path)
	uv pip compile pyproject.toml --extra run --extra ghc --extra check --extra images --extra build --extra test --extra lint --extra benchmark --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --quiet -o requirements.lock
	uv pip compile pyproject.toml --extra docs --constraint requirements.lock --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url $(addprefix --no-emit-package ,$(SEEN)) --quiet -o docs/requirements.lock

clean:  ## remove the environment and what was built; data and results stay
	rm -rf $(VENV) build
