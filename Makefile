# Two commands are enough on a fresh machine: `make demo` and `make test`.
# Both set up .venv first, from nothing but Python 3.11+ and a package index.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable

.PHONY: demo test sweep check format lint types imports docs bench clean
.DELETE_ON_ERROR:

# Hundreds of processes that the tests start find every module compiled, whatever the shell says.
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/compiled
unexport PYTHONDONTWRITEBYTECODE

demo: $(READY)
	$(BIN)/graycube demo build/demo

# A file of tests stays in one process: some read what earlier ones wrote. Long files come first.
# `make check` has the long tests too: more ranks, browsers, and all else that takes over a second.
MARKS := not long and not sweep
check: MARKS := not sweep
test: $(READY)
	$(BIN)/python -m pytest -m '$(MARKS)' --numprocesses auto --dist loadfile --no-loadscope-reorder

# What takes hours: large sizes, many ranks, many damaged files, every claim of the papers.
sweep: $(READY)
	HYPOTHESIS_PROFILE=sweep $(BIN)/python -m pytest -m 'sweep or hypothesis' --timeout 1800 --durations 25 --numprocesses auto
	$(BIN)/graycube reproduce

check: format lint types imports test docs

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/codespell

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

docs: $(READY)
	$(BIN)/sphinx-build --fail-on-warning --quiet -b html docs build/docs
	@echo "documentation: build/docs/index.html"

bench: $(READY)
	$(BIN)/python benchmarks/gray.py
	$(BIN)/python benchmarks/permute.py
	$(BIN)/python benchmarks/layout.py
	$(BIN)/python benchmarks/schedule.py
	$(BIN)/python benchmarks/all_port.py
	$(BIN)/python benchmarks/any_to_any.py 200
	$(BIN)/python benchmarks/fft.py
	$(BIN)/python benchmarks/butterflies.py
	$(BIN)/mpiexec -n 4 $(BIN)/python benchmarks/mpi_fft.py
	$(BIN)/mpiexec -n 4 $(BIN)/python benchmarks/predicted.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/rows.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/stencils.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/sums.py
	$(BIN)/python benchmarks/small_calls.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/small_calls.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/functions.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/slabs.py
	$(BIN)/mpiexec -n 4 $(BIN)/python benchmarks/sort.py
	$(BIN)/mpiexec -n 2 $(BIN)/python benchmarks/walsh.py
	$(BIN)/mpiexec -n 4 $(BIN)/python benchmarks/qubit_gates.py

clean:
	rm -rf .venv build dist

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "graycube needs Python 3.11 or newer; call: make PYTHON=python3.11 ..." >&2; exit 1; }
	@echo "Setting up .venv, once: a minute or two, by the network."
	@echo "1 of 3: an environment"
	@$(PYTHON) -m venv .venv
	@echo "2 of 3: graycube, NumPy and SciPy, MPI, Numba, FFTW, pictures"
	@$(INSTALL) '.[fast,fftw,mpi,plot,zarr]'
	@echo "3 of 3: what tests and documents need"
	@$(INSTALL) '.[dev,docs]'
	@touch $@
