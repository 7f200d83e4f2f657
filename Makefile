# Short names for the nox sessions. `make help` lists them; README.md tells the story.
PYTHON ?= python3
NOX := .venv/bin/nox
ARGS ?=

.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo 'Options go into ARGS: make eval ARGS="--trials 2". Other tasks: make eval TASK=store-durability'

TASK ?= formatting
eval: $(NOX) ## run a task end to end (rehearsed: no key, no cost) and show what happened
	@$(NOX) -s eval -- $(TASK) $(ARGS)

test: $(NOX) ## every test, on the real parts
	@$(NOX) -s tests

check: $(NOX) ## validate the tasks, grade their solutions, run their rehearsals
	@$(NOX) -s check_tasks -- --rehearse $(ARGS)

smoke: $(NOX) ## probe the sandbox
	@$(NOX) -s smoke

lint: $(NOX) ## ruff and mypy
	@$(NOX) -s lint

bench: $(NOX) ## time the harness and the grading
	@$(NOX) -s bench

proofs: $(NOX) ## the slower proofs: attempts to get out, attacks on the graders, each guard away, honest intervals, Codex, mutants
	@$(NOX) -s calibrate
	@$(NOX) -s adversaries -- --client claude --client codex
	@$(NOX) -s guards
	@$(NOX) -s attacks -- cargo --light
	@$(NOX) -s attacks -- cargo --guards --light
	@$(NOX) -s attacks -- python --guards --light
	@$(NOX) -s rehearse -- formatting store-durability --client codex
	@$(NOX) -s rehearse -- --evals tests/expect/evals
	@$(NOX) -s check_tasks -- --battery

kills: $(NOX) ## kill everything at random moments, and resume (slow)
	@$(NOX) -s kills
	@$(NOX) -s cycles

doctor: $(NOX) ## what is missing here, and how to get it
	@$(NOX) -s doctor

tools: ## install the pinned client, srt, Node and cargo-agents into .tools
	@$(PYTHON) tools/install.py

clean: ## remove environments and caches; results/ and .tools/ stay
	rm -rf .venv .nox .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(NOX):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON): older than 3.11; give another with PYTHON=..."; exit 2; }
	@echo "setting up nox in .venv"
	@$(PYTHON) -m venv .venv || { echo "$(PYTHON): cannot make .venv; on Debian: apt-get install python3-venv"; exit 2; }
	@.venv/bin/pip install -q nox || { rm -rf .venv; echo "nox: could not be installed; check the network"; exit 2; }

.PHONY: help eval test check smoke lint bench proofs kills doctor tools clean
