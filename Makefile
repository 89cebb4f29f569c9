# Two commands on a fresh Debian 12 (git, make, and root or sudo): `make demo` and `make test`.
# Everything else is a step of these; `make help` lists them.
.NOTPARALLEL:
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)

# Folders with C++ of ours; what a person has not written (build folders) is never touched.
SOURCES = $(shell find include examples src server cli python tests bench -name '*.cpp' -o -name '*.hpp' 2>/dev/null | sort)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: tool ## build the tool, then data, model, evaluation and an HTML report in build/demo
	@demo/run.sh build/palate build/demo

.PHONY: test
test: packages check-format check-layers check-docs web test-release check-examples docs test-web test-python sanitize check-tidy ## every test and check
	@echo "make test: all tests and checks passed"

.PHONY: tool
tool: web-if-npm configure ## only the tool: build/palate
	@cmake --build build -j $(JOBS) --target palate_cli

.PHONY: build
build: configure ## the library, the tool and the tests, optimised, in build/
	@cmake --build build -j $(JOBS)

.PHONY: test-release
test-release: build ## all tests, optimised build
	@tools/run_tests.py build -j $(JOBS)

# Minutes from a clean clone: no tool, service, report or database, no sanitizers, no checks.
.PHONY: quick
quick: configure ## build the library alone and run its tests
	@cmake --build build -j $(JOBS) --target palate_quick
	@tools/run_tests.py build -j $(JOBS) -L quick

# Large tests take minutes without sanitizers, and run the same code as their small twins.
.PHONY: sanitize
sanitize: build ## the tests under the address and undefined-behaviour sanitizers (build-asan/)
	@cmake --preset sanitize -DPALATE_TEST_OBJECTS=$(CURDIR)/build
	@cmake --build build-asan -j $(JOBS)
	@tools/run_tests.py build-asan -j $(JOBS)

# What threads share: the pool, live models, the store, the service. Their tests are compiled too, as
# the sanitizer has to see every access. Not part of `make test`: it takes many minutes.
TSAN_TESTS = base_test live_test rating_store_test durability_test
.PHONY: tsan
tsan: configure ## the tests of what threads share under the thread sanitizer (build-tsan/)
	@cmake --preset tsan
	@cmake --build build-tsan -j $(JOBS) --target $(TSAN_TESTS) palate_cli
	@TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 suppressions=$(CURDIR)/tests/tsan.supp" \
	  tools/run_tests.py build-tsan -j $(JOBS) \
	  -R '^(base_test|live_test|rating_store_test|durability_test|http\.(ratings|recovery|weights|load|two_servers))$$'

.PHONY: fuzz
fuzz: packages-build ## coverage-guided fuzzing of what comes from outside, MINUTES=2 in all (build-fuzz/)
	@tools/install_packages.sh fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build build-fuzz -j $(JOBS)
	@tests/fuzz/run.sh build-fuzz $(or $(MINUTES),2)

# The explorer, put into the tool by the next build. Built anew when a source is newer. The lock file is
# kept to; `npm ci` would ask for the bundler's binaries of every other platform too.
WEB_SOURCES = server/openapi.json $(filter-out web/src/contract.d.ts,\
	$(shell find web/src web/public web/*.json web/*.html web/*.ts -type f 2>/dev/null))

.PHONY: web
web: web/dist/index.html ## build the explorer into web/dist (Node.js 18 or newer)

web/dist/index.html: $(WEB_SOURCES)
	@tools/install_packages.sh web
	@cd web && npm install --no-save --no-progress && npm run build

# npm brings hundreds of packages along: whoever only wants the tool need not have it.
.PHONY: web-if-npm
web-if-npm:
	@if command -v npm >/dev/null; then $(MAKE) -s web || echo "make: going on without the explorer"; \
	else echo "make: no npm, so the tool will have no explorer ('make web tool' puts it in)"; fi

.PHONY: test-web
test-web: web tool ## checks, unit tests and tests in Chromium of the explorer
	@tools/install_packages.sh webtest
	@cd web && npm run check && npm test
	@cd tests/contract/web && npm ci --no-progress && npm run check && PALATE=$(CURDIR)/build/palate npm test

# The wheel in a fresh virtual environment; where PyPI is out of reach, with Debian's packages, and a
# line then says what was left out.
.PHONY: test-python
test-python: build packages-python ## the tests of the Python package
	@JOBS=$(JOBS) tools/python.sh test

.PHONY: wheel
wheel: build packages-python ## a wheel of the Python package in build/wheel
	@JOBS=$(JOBS) tools/python.sh wheel

.PHONY: bench-python
bench-python: build packages-python ## what the Python package adds to the engine's time, beside implicit and EASE
	@cmake --preset release -DPALATE_BENCH=ON
	@cmake --build build -j $(JOBS) --target bench_stages
	@JOBS=$(JOBS) tools/python.sh bench $(BENCH)

# BENCH: options of bench/run.py, such as "--quick" or "--only speed,latency".
.PHONY: bench
bench: packages-bench ## measure everything, beside dense PyTorch and pandas: build/bench/results.json
	@cmake --preset release -DPALATE_BENCH=ON
	@cmake --build build -j $(JOBS) --target palate_bench
	@/usr/bin/python3 bench/run.py --build build $(BENCH)

# SERVE: options of bench/serve.py, such as "--seconds 5".
.PHONY: bench-serve
bench-serve: packages-build ## latency and throughput of the service on BA data
	@cmake --preset release -DPALATE_BENCH=ON
	@cmake --build build -j $(JOBS) --target palate_cli bench_serve
	@python3 bench/serve.py --build build --json build/bench-serve.json $(SERVE)

# MINUTES of mixed load; SOAK: options of tests/contract/http/soak.py, such as
# "--data ../shared/data/BA -- --preset ba".
.PHONY: soak
soak: tool ## the service under mixed load for MINUTES, within bounds of memory, lag and descriptors
	@PALATE_TOOL=build/palate python3 tests/contract/http/soak.py --minutes $(or $(MINUTES),10) $(SOAK)

.PHONY: install-test
install-test: build ## install into a temporary folder and use it from a small program
	@ctest --test-dir build -R '^install\.' --output-on-failure --no-tests=error

.PHONY: check-format
check-format: packages ## is every file as clang-format would have it?
	@clang-format --dry-run --Werror $(SOURCES) && echo "check-format: $(words $(SOURCES)) files, all formatted"

.PHONY: check-layers
check-layers: packages-build ## do includes follow the direction of the layers?
	@python3 tools/check_layers.py

# Classes in Python and a page of the documents, from the descriptions of the methods.
.PHONY: generate
generate: tool ## write what follows from the descriptions of the methods
	@python3 tools/generate.py build/palate

.PHONY: check-docs
check-docs: ## do links in the documents lead somewhere, and do lines keep to 100 columns?
	@python3 tools/check_docs.py

.PHONY: check-examples
check-examples: tool ## do the commands in the tutorial and the how-to print what these say?
	@python3 tools/check_examples.py build/palate

# Links and anchors between pages are checked on the way; without PyPI a line says what is left out.
.PHONY: docs
docs: ## the documentation site: build/docs/index.html
	@tools/docs.sh

.PHONY: check-tidy
check-tidy: packages ## clang-tidy over the library, the tool and, once built, the Python module
	@tools/check_tidy.py $(JOBS)

.PHONY: format
format: packages ## format every file in place
	@clang-format -i $(SOURCES)

.PHONY: install
install: build ## install to PREFIX (/usr/local)
	@cmake --install build --prefix $(or $(PREFIX),/usr/local)

.PHONY: configure
configure: packages-build
	@cmake --preset release

.PHONY: packages-build
packages-build:
	@tools/install_packages.sh build

.PHONY: packages
packages:
	@tools/install_packages.sh build check

.PHONY: packages-python
packages-python: packages-build
	@tools/install_packages.sh python

# Without them a run is shorter, and says what it leaves out.
.PHONY: packages-bench
packages-bench: packages-build
	@tools/install_packages.sh bench || echo "make bench: going on without them"

.PHONY: clean
clean: ## remove all build folders
	rm -rf build build-asan build-debug
