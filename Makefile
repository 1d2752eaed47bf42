# Everything that these targets make stays inside the checkout, but for the models of demo-models: .venv, .venv-bench, .cache, demo-*.

PYTHON ?= $(shell command -v python3.11 2>/dev/null || echo python3)
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BENCH_OPTIONS ?=
# What an installation is made from: with other sources the compiled kernels must be made anew.
SOURCES := pyproject.toml $(wildcard native/*)

# Tests and benchmarks keep their models in the checkout; the demo puts them where the user's own runs find them again.
test bench: export NLGAUGE_CACHE ?= $(CURDIR)/.cache/models
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call install,.venv) PACKAGES
install = $(1)/$(PROGRAMS)/python -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt

.PHONY: help demo demo-models test bench clean

help:
	@echo "make demo         score the sample that ships with the package (no torch)"
	@echo "make demo-models  the same with the model-based metrics, on real weights"
	@echo "make test         install everything that the tests need, and run every check"
	@echo "make bench        time nlgauge and its peers on the same texts"
	@echo "make clean        remove what the other targets made"

demo: .venv/.core
	.venv/$(PROGRAMS)/nlgauge demo -o demo-result --overwrite

demo-models: .venv/.models
	.venv/$(PROGRAMS)/nlgauge models get minilm smollm2
	.venv/$(PROGRAMS)/nlgauge demo --models -o demo-models-result --overwrite

# Two test processes share two cores: more threads in each would only wait for each other.
test: export OMP_NUM_THREADS := 1
test: export NLGAUGE_THREADS := 1
test: .venv/.test
	.venv/$(PROGRAMS)/nlgauge models get minilm smollm2
	.venv/$(PROGRAMS)/ruff check
	.venv/$(PROGRAMS)/ruff format --check
	.venv/$(PROGRAMS)/mypy
	.venv/$(PROGRAMS)/pytest -n 2 --dist loadfile

bench: .venv-bench/.bench
	.venv-bench/$(PROGRAMS)/nlgauge models get minilm smollm2
	.venv-bench/$(PROGRAMS)/python -m benchmarks --json .cache/bench.json $(BENCH_OPTIONS)
	.venv-bench/$(PROGRAMS)/python -m benchmarks.scale
	.venv-bench/$(PROGRAMS)/python -m benchmarks.calls
	.venv-bench/$(PROGRAMS)/python -m benchmarks.commands
	.venv-bench/$(PROGRAMS)/python -m benchmarks.long_texts

clean:
	rm -rf .venv .venv-bench .cache demo-result demo-models-result

# Stamps: an environment is made once, and installed into again when the requirements change. The pip that comes with
# Python 3.11 does not know dependency groups, so each environment first gets the pinned one.
%/.pip: constraints.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/$(PROGRAMS)/python -m pip install --quiet --constraint constraints.txt pip
	touch $@

# torch goes first and alone, so that no later requirement makes pip choose another build of it.
%/.torch: %/.pip
	@echo "installing torch, which takes a while"
	$(call install,$(@D)) torch
	touch $@

.venv/.core: .venv/.pip $(SOURCES)
	$(call install,$(@D)) --editable .
	touch $@

.venv/.models: .venv/.torch $(SOURCES)
	$(call install,$(@D)) --editable ".[models]"
	touch $@

.venv/.test: .venv/.torch $(SOURCES)
	$(call install,$(@D)) --editable ".[models,ot,parquet,zstd]" --group test --group peers
	touch $@

# blanc asks for torch and numpy below 2, so its requirements are not followed, and
# benchmarks/blanc_shim.py stands in for what Transformers has removed.
.venv-bench/.bench: .venv-bench/.torch $(SOURCES)
	$(call install,$(@D)) --editable ".[models]" --group peers --group bench
	$(call install,$(@D)) --no-deps blanc
	touch $@

.PRECIOUS: %/.pip %/.torch
