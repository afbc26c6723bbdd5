# A fresh environment lies in .venv; `make BIN=/other/venv/bin check` uses another one.
PYTHON ?= python3
BIN ?= .venv/bin

.PHONY: install test check check-style format run pictures

install: .venv/bin/selfheal

.venv/bin/selfheal: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet -e '.[dev]'
	touch $@

test:
	$(BIN)/python -m pytest

check: check-style test

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

pictures:
	$(BIN)/python docs/pictures.py
