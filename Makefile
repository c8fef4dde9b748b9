# Heliograph. Needs Python 3.11, 3.12 or 3.13, and nothing else: everything is installed into .venv.
# `make` alone shows what there is.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
# Says that the environment is what the locks say. Older than one of them, it is made again.
INSTALLED := $(VENV)/.installed
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help install up test check soak bench schema lock clean

help: ## Show this
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## Make the environment in .venv (PYTHON=… chooses another Python)

$(INSTALLED): requirements-dev.lock requirements-uv.lock pyproject.toml scripts/install.sh
	@sh scripts/install.sh $(VENV)
	@touch $@

up: $(INSTALLED) ## Start Heliograph and its database (DEMO=1 loads the demo, PORT=8001 takes another port)
	@exec $(BIN)/heliograph up $(if $(filter-out 0,$(DEMO)),--demo) $(if $(PORT),--port $(PORT)) $(ARGS)

test: check ## Run every check and every test
	$(BIN)/python -m pytest -m "not soak" $(ARGS)

check: $(INSTALLED) ## Lint, check the format, the types and the imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

soak: $(INSTALLED) ## Run the long fault and race tests
	$(BIN)/python -m pytest -m soak --timeout 0 $(ARGS)

bench: $(INSTALLED) ## Measure, and print the figures (WALKS=1 measures what walks the graph)
	$(BIN)/python -m bench$(if $(filter-out 0,$(WALKS)),.walks) $(ARGS)

schema: $(INSTALLED) ## Write schema.graphql from the code
	$(BIN)/python -m api.sdl > schema.graphql.new || { rm -f schema.graphql.new; exit 1; }
	mv schema.graphql.new schema.graphql

lock: $(INSTALLED) ## Resolve the dependencies anew, within the bounds of pyproject.toml
	$(COMPILE) --upgrade pyproject.toml -o requirements.lock
	$(COMPILE) --upgrade pyproject.toml --group dev -o requirements-dev.lock
	echo uv | $(COMPILE) --upgrade - -o requirements-uv.lock

clean: ## Remove the environment and every cache; data in home folders stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	rm -rf tests/conformance/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
