# The commands of this repository; each is a thin call into tools/ or Meson.
PREFIX ?= /usr/local
DESTDIR ?=
SUITE ?= suites/machine.yaml
SECONDS ?= 600

build:              ## build the command, build/bilanx, and the libraries
	@tools/setup run
	@tools/build build
run: build          ## measure this machine and its libc, in a minute (SUITE=suites/machine.yaml)
	build/bilanx run $(SUITE)
test:               ## all tests, with both compilers, sanitizers and a minute of fuzzing
	@tools/setup test
	@tools/test all
check:              ## the fast tests, in under a minute
	@tools/setup test
	@tools/test fast
fuzz:               ## fuzz all targets together for SECONDS=600, then all faults, with sanitizers too
	@tools/setup test
	@tools/fuzz $(SECONDS)
	@tools/faults
format:             ## format all C and C++ files
	@tools/format
install:            ## install below DESTDIR= PREFIX=/usr/local
	@tools/setup run
	@tools/build build -Dprefix=$(abspath $(PREFIX))
	@meson install -C build --no-rebuild --quiet --destdir "$(DESTDIR)"
	@[ -n "$(DESTDIR)" ] || [ ! -w /etc/ld.so.cache ] || /sbin/ldconfig
clean:              ## remove everything that was built
	rm -rf build build-clang build-asan build-fuzz
help:               ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

.PHONY: build run test check fuzz format install clean help
