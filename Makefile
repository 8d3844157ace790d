# The commands of this repository; each is a thin call into tools/ or Meson.
PREFIX ?= /usr/local
DESTDIR ?=
SUITE ?= suites/machine.yaml
SECONDS ?= 600

build:              ## build the command, build/bilanx, and the libraries
	@tools/setup --check run
	@tools/build build
	@echo "built build/bilanx; try: build/bilanx time 'sqrt(x)' -s 'double x = 2'"
setup:              ## install the packages that 'make run' needs
	@tools/setup run
run: setup          ## build, then measure this machine and its libc: 2 to 3 minutes (SUITE=suites/machine.yaml) (*)
	@tools/build build
	build/bilanx run $(SUITE)
test:               ## all tests, with both compilers, sanitizers and a minute of fuzzing (*)
	@tools/setup test
	@tools/test all
check:              ## the fast tests, in two minutes (*)
	@tools/setup test
	@tools/test fast
test-long:          ## the tests that are too long for 'make test' (*)
	@tools/setup test
	@tools/test long
coverage:           ## a page that shows what the fast tests never execute (*)
	@tools/setup test
	@tools/setup coverage
	@tools/coverage
fuzz:               ## fuzz all targets together for SECONDS=600, then all faults, with sanitizers too (*)
	@tools/setup test
	@tools/fuzz $(SECONDS)
	@tools/faults
format:             ## format all C and C++ files
	@tools/format
install:            ## install below DESTDIR= PREFIX=/usr/local
	@tools/setup --check run
	@tools/build build -Dprefix=$(abspath $(PREFIX))
	@meson install -C build --no-rebuild --quiet --destdir "$(DESTDIR)"
	@[ -n "$(DESTDIR)" ] || [ ! -w /etc/ld.so.cache ] || /sbin/ldconfig
	@tools/installed "$(abspath $(PREFIX))"
uninstall:          ## remove what 'make install' installed last
	@tools/uninstall
wheel:              ## make a wheel of the Python package, in build-wheel/ (*)
	@tools/setup test
	@/usr/bin/python3 tools/wheel build-wheel
clean:              ## remove everything that was built
	rm -rf build build-asan build-clang build-coverage build-mutants build-wheel
help:               ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16
	@echo '(*) lists missing packages, then installs them'

.PHONY: build setup run test test-long check coverage fuzz format install uninstall wheel clean help
