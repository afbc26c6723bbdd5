# A fresh environment lies in .venv; `make BIN=/other/venv/bin check` uses another one.
PYTHON ?= python3
BIN ?= .venv/bin
# Each of the many processes of a test run would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install quick test check check-style format run docs site pictures dist try-wheel

install: .venv/bin/selfheal

.venv/bin/selfheal: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet -e '.[dev]'
	touch $@

# Half a minute: units, properties, architecture.
quick:
	$(BIN)/python -m pytest -m quick

# What fits into three minutes.
test:
	$(BIN)/python -m pytest

check: check-style
	$(BIN)/python -m pytest -m ""

check-style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format:
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

run:
	$(BIN)/selfheal

# The pages that are made from the code.
docs:
	$(BIN)/python docs/reference.py

# All pages as a site in build/site; needs `pip install -e '.[docs]'`, and no network.
site: docs
	$(BIN)/python docs/build_site.py

pictures:
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/recording.py

# What is released, in dist/; needs `pip install -e '.[release]'`.
dist:
	$(BIN)/python .ci/dist.py

# The wheel in a bare environment of each Python on this machine.
try-wheel: dist
	$(BIN)/python .ci/try_wheel.py
