# make demo    plays tournaments/quickstart.toml with four bots and shows the ranking
# make test    linters, types, architecture, wire contract, tests
# make bench   decisions per second, in process and through gRPC
# make clean   takes away what these made
# With another interpreter: make demo PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PINS := constraints.txt pyproject.toml

.PHONY: demo test bench clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	$(BIN)/bourre run tournaments/quickstart.toml

test: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint proto
	$(BIN)/buf format proto --diff --exit-code
	PYTHON='$(PYTHON)' proto/generate.sh --check
	$(BIN)/python -m pytest

bench: $(VENV)/installed-dev
	$(BIN)/python -m tests.benchmarks.decisions

clean:
	rm -rf $(VENV) .venv-proto .mypy_cache .ruff_cache .import_linter_cache .hypothesis quickstart.db*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The build backend comes first and without isolation: pip does not hold what it fetches for a build to
# the pins.
$(VENV)/installed: $(PINS)
	$(check-python)
	@echo "Installing into $(VENV) (once; needs the network)"
	@'$(PYTHON)' -m venv $(VENV)
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@echo "Installing the tools for tests into $(VENV)"
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

# Each thing that a bare machine may lack has its own line.
define check-python
@command -v '$(PYTHON)' >/dev/null || \
  { echo "$(PYTHON) is not found: install Python 3.11 or newer, or say where it is: make PYTHON=..." >&2; exit 1; }
@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "Python 3.11 or newer is needed; $(PYTHON) is $$('$(PYTHON)' --version 2>&1). Say which: make PYTHON=..." >&2; exit 1; }
@'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || \
  { echo "$(PYTHON) cannot make environments: install its venv module (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
endef
