# Needs only Python >= 3.11 and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.ready-dev

PARALLEL := -n 3 --dist worksteal
# Remarks on rules that need a proof by z3 take twenty seconds: `make lint` asks for them, and a test in CI.
WITHOUT_PROOFS := $(BIN)/python -c "import runpy, sys; sys.modules['z3'] = None; runpy.run_module('advisor', run_name='__main__')"

.PHONY: advise install quick test test-ci test-all nightly fuzz lint lint-code lint-rules lint-proofs docs site pictures bench limits audit one-network bench-machine bench-trials gpu gpu-kit clean

advise: $(READY)
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/advisor wizard; \
	else $(BIN)/advisor probe examples/digits.yaml --budget 35s --output advice.md --force; fi

install: $(READY)

# The CPU build of torch is enough to advise and to probe a processor; docs/guide.md says how to take another first.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "torch==2.13.0"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	$(BIN)/python -m compileall -q advisor
	@touch $@

$(DEV_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

# `make quick ROOM=probes`: ruff, mypy and the tests of one room, within a minute.
quick: $(DEV_READY)
	@$(BIN)/python tests/quick.py $(ROOM)

lint: lint-code lint-rules lint-proofs

lint-code: $(DEV_READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lint-rules: $(DEV_READY)
	$(WITHOUT_PROOFS) rules check
	$(BIN)/advisor rules test
	$(BIN)/advisor rules coverage

lint-proofs: $(DEV_READY)
	$(BIN)/advisor rules check

# Known advisories on the pinned versions, and on the oldest that pyproject.toml admits. Needs a network that reaches pypi.org.
audit:
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet --disable-pip-version-check "pip-audit>=2.9"
	build/audit/bin/pip-audit --strict --no-deps --disable-pip -r constraints.txt
	$(PYTHON) tests/oldest_versions.py > build/audit/oldest.txt
	build/audit/bin/pip-audit --strict --no-deps --disable-pip -r build/audit/oldest.txt

# Pages that follow from the program: the rule base as a book, the commands, the glossary.
docs: $(READY)
	$(BIN)/python -m docs.site.pages

# All of docs/ as a web site, in build/site; a broken link or a page that no menu leads to ends it.
site: docs $(DEV_READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The pictures of the README and of docs/wizard.md; needs Debian's chromium.
pictures: $(DEV_READY)
	$(BIN)/python -m docs.pictures.make

test: lint-code lint-rules
	$(BIN)/pytest $(PARALLEL)

# What CI runs: also the tests marked `slow` and `browser`, and property tests that search longer. One of the tests proves.
test-ci: lint-code lint-rules
	$(BIN)/pytest $(PARALLEL) --hypothesis-profile=ci --durations=40 -m "not thorough and not gpu and not nightly"

# Everything but what needs a graphics card.
test-all: lint
	$(BIN)/pytest $(PARALLEL) --hypothesis-profile=whole -m "not gpu and not nightly"
	$(BIN)/python tests/mutate_rules.py --floor 90

# Every kind of generated project: an environment from its own requirements, training, a stop at each instant of saving,
# resuming, predictions. An hour; before an issue is resolved. NIGHTLY_PROJECTS=unet takes those that have this in their name.
# One project for each way of saving is stopped at every instant, the others at every tenth; NIGHTLY_EVERY=1 is for all.
nightly: $(DEV_READY)
	$(BIN)/pytest $(PARALLEL) -m nightly tests/starter/matrix

# Mutated files of every format, 5,000 each; cases that fail are kept in build/fuzz/failed. Four hours of processor time.
# Then sixty programs, each killed, stopped or interrupted, and given again: ten to twenty-five minutes.
fuzz: $(DEV_READY)
	FUZZ_CASES=5000 $(BIN)/pytest $(PARALLEL) -m fuzz tests/fuzz
	FAULTS=60 $(BIN)/pytest -n 2 -m slow tests/faults/test_faults.py

bench: $(DEV_READY)
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/questions/questions.py

# Every type of network in three sizes, and twenty published ones, as plan, probes, trials and projects have them: six minutes.
one-network: $(DEV_READY)
	$(BIN)/python benchmarks/one_network.py

# What docs/limits.md declares: inspections of data as large as they may be, ten minutes and 6 GB of disk.
limits: $(DEV_READY)
	$(BIN)/python benchmarks/limits.py

# On a machine on which nothing else runs; machine.py also needs gcc, fio and Debian's source of hpcc.
bench-machine: $(DEV_READY)
	$(BIN)/python benchmarks/machine/machine.py
	$(BIN)/python benchmarks/machine/settings.py
	$(BIN)/python benchmarks/machine/repeats.py

# Trials on data, an hour: against default models, initial weights, reading 2 GB.
bench-trials: $(DEV_READY)
	$(BIN)/python benchmarks/trials/trials.py
	$(BIN)/python benchmarks/trials/initialisation.py
	$(BIN)/python benchmarks/trials/inspecting.py

# On a machine with a graphics card: ten minutes, into gpu-run/; once more goes on where it ended.
gpu:
	$(PYTHON) benchmarks/gpu.py

# Where that machine has torch and CUDA but no network: the wheels that it lacks, to be carried there in .gpu-kit/.
gpu-kit: $(DEV_READY)
	$(BIN)/python benchmarks/cards/kit.py --output .gpu-kit

clean:
	rm -rf $(VENV) .gpu-kit gpu-run advice.md .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
