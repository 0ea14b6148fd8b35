# Two commands do everything: `make reproduce` and `make test`. The rest are their parts.
PYTHON ?= python3
VENV   ?= .venv
CORES  ?= $(shell getconf _NPROCESSORS_ONLN)
SCOPE  ?= quick
BIN    := $(VENV)/bin
STAMPS := .stamps

.PHONY: help
help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(STAMPS)/venv: requirements.lock
	@mkdir -p $(STAMPS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

CORE_SOURCES := CMakeLists.txt pyproject.toml $(wildcard src/core/*.cpp src/core/*/*.cpp src/core/include/cladebench/*.hpp src/core/CMakeLists.txt)
$(STAMPS)/build: $(STAMPS)/venv $(CORE_SOURCES)
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

.PHONY: build
build: $(STAMPS)/build  ## set up the environment and build the package with its core
