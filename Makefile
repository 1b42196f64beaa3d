# A thin front of CMake.
#
#   make            the program, build/blockgen, and the library
#   make run        a first cross section, four jets of two protons, with pictures in out/run (ARGS="..." adds options)
#   make check      the tests of the library and of the command line that take seconds: two minutes
#   make test       all tests, then again with the address and undefined-behaviour sanitizers: a quarter of an hour of two cores from nothing, less
#                   where ccache has seen the sources
#   make soak       the tests that draw their points with fresh seeds, SOAK times (5), first seed SEED; all recorded results;
#                   runs that are killed, run out of disk and go on, for SOAK_SECONDS (3600)
#   make fuzz       inputs of libFuzzer's own for every parser, FUZZ_SECONDS (600) of them; needs clang
#   make tsan       the threaded parts under the thread sanitizer, with more points than in make test; needs clang
#   make valgrind   the program under valgrind, likewise
#   make deps       install what all of these need (Debian packages, as root); run and test do that by themselves
#   make coverage   which lines of the library and the program the tests run
#   make docs       the documentation as a site with search, in build-docs/site
#   make bench      time and memory of every algorithm (ARGS="-n 2:5" chooses a subset)
#   make install    into PREFIX (/usr/local), below DESTDIR if set
#   make package    a package (.deb on Debian) and the source as .tar.gz, in build/packages
#   make format     clang-format 14 over the sources
#   make clean
#
# CMAKE_FLAGS goes to the configuration of CMake, JOBS is the number of parallel compilations. CC chooses the compiler
# when a build folder is made.
#
# Tests have folders of their own, TESTED and SANITIZED. Where there is nvcc, kernels are compiled there for one architecture,
# CUDA_ARCH: that of the device, or 90 without one, and then quickly, since nobody can run them. What is installed has more
# architectures, which no test could run.

BUILD ?= build
TESTED ?= build-test
SANITIZED ?= build-sanitize
COVERED ?= build-coverage
FUZZED ?= build-fuzz
RACED ?= build-tsan
DOCS ?= build-docs
DEVICE := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n '1s/[.]//p')
CUDA_ARCH ?= $(or $(DEVICE),90)
SOAK ?= 5
SOAK_SECONDS ?= 3600
SEED ?=
FUZZ_SECONDS ?= 600
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
ARGS ?=
RUN ?= out/run
TARGET ?= all

# Ninja, where it is there, for a folder that is made: make takes a quarter of a minute to find that there is nothing to do.
generator = $(if $(wildcard $(1)/CMakeCache.txt),,$(if $(shell command -v ninja),-G Ninja))

all:
	@cmake/require.sh program
	@test -f "$(BUILD)/CMakeCache.txt" && test -z '$(CMAKE_FLAGS)' || cmake $(call generator,$(BUILD)) -S . -B "$(BUILD)" $(CMAKE_FLAGS)
	@cmake --build "$(BUILD)" -j $(JOBS) --target $(TARGET)

deps:
	@cmake/require.sh deps

run:
	@cmake/require.sh run
	@$(MAKE) --no-print-directory all TARGET=blockgen_program
	"$(BUILD)/blockgen" integrate --process "p p > 4j" --sqrts 13600 --pt-min 30 --eta-max 5 --precision 0.005 --variations scale --histograms "$(RUN)" $(ARGS)

required: # before the others, whose commands depend on what is there now
	@cmake/require.sh tests

tested: required
	cmake $(call generator,$(TESTED)) -S . -B "$(TESTED)" -DBG_TESTS=ON -DCMAKE_CUDA_ARCHITECTURES=$(CUDA_ARCH)-real \
	  -DBG_CUDA_QUICK=$(if $(DEVICE),OFF,ON) $(CMAKE_FLAGS)
	cmake --build "$(TESTED)" -j $(JOBS)

check: tested
	@tests/run.sh -L 'unit|cli' -LE slow "$(TESTED)"

# The sanitizers see the same source in the baseline as in all instruction sets. Warnings are errors here, where the optimizer works and all
# that is optional is there; tests/habits/builds.sh has a build without any of it.
sanitized:
	cmake $(call generator,$(SANITIZED)) -S . -B "$(SANITIZED)" -DBG_TESTS=ON -DBG_SANITIZE=ON -DBG_CUDA=OFF -DBG_INSTRUCTION_SETS=none \
	  -DCMAKE_C_FLAGS=-Werror $(CMAKE_FLAGS)
	cmake --build "$(SANITIZED)" -j $(JOBS)

# The folder with the sanitizers is built while the other one is tried, whose first tests wait for the network. (The command has a name,
# since a line with a call of make in it runs under `make -n` as well.)
sanitize = $(MAKE) --no-print-directory sanitized
test: tested
	@tests/run.sh -b "$(sanitize)" "$(TESTED)" "$(SANITIZED)"

soak: tested
	@tests/soak.sh "$(TESTED)" $(SOAK) $(SOAK_SECONDS) $(SEED)

# The corpora and what the targets do are in tests/fuzz; `make test` runs a fixed number of inputs.
fuzz:
	@cmake/require.sh tests
	@tests/fuzz/run.sh cmake "$(CURDIR)" "$(CURDIR)/$(FUZZED)" $(FUZZ_SECONDS)

tsan:
	@cmake/require.sh tests
	@tests/tsan/run.sh cmake "$(CURDIR)" "$(CURDIR)/$(RACED)" 10

valgrind: tested
	@tests/valgrind/run.sh "$(TESTED)" 10

bench: all
	"$(BUILD)/blockgen" bench $(ARGS)

install: all
	DESTDIR="$(DESTDIR)" cmake --install "$(BUILD)" --prefix "$(PREFIX)"

package: all
	cmake --build "$(BUILD)" --target package
	@test ! -e .git || cmake --build "$(BUILD)" --target source_package
	@ls -1 "$(BUILD)/packages"/*.deb "$(BUILD)/packages"/*.tar.gz 2>/dev/null

# Without the tests that measure times: counting lines changes them.
coverage:
	@cmake/require.sh tests
	cmake -S . -B "$(COVERED)" -DBG_TESTS=ON -DBG_COVERAGE=ON -DBG_CUDA=OFF -DBG_INSTRUCTION_SETS=avx2 $(CMAKE_FLAGS)
	cmake --build "$(COVERED)" -j $(JOBS)
	find "$(COVERED)" -name '*.gcda' -delete
	cd "$(COVERED)" && ctest -j $(JOBS) $(COVERAGE_TESTS) || true
	@python3 tests/habits/coverage.py "$(COVERED)"

format:
	@tests/habits/format.sh --apply

# The measured numbers of README.md and docs/, from docs/figures, bench/ and nowhere else.
docs-numbers:
	@python3 docs/numbers.py

# The site with search, into build-docs/site/index.html; MkDocs comes into a virtual environment there.
docs:
	@cmake/require.sh docs
	@mkdir -p "$(DOCS)" && tests/docs/site.sh "$(CURDIR)" "$(CURDIR)/$(DOCS)" && echo "$(DOCS)/site/index.html"

# What the commands print that docs/ shows.
docs-outputs: all
	@python3 -B tests/docs/commands.py cmake "$(BUILD)" --write docs/commands.md

clean:
	rm -rf "$(BUILD)" "$(TESTED)" "$(SANITIZED)" "$(COVERED)" "$(FUZZED)" "$(RACED)" "$(DOCS)"

.PHONY: all deps run required tested sanitized check test soak fuzz tsan valgrind coverage bench install package format docs-numbers docs docs-outputs clean
