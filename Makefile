# Tactus: `make run` plays, `make test` tests.

CONFIGURATION := release
# Optional parts of the build: TRAITS=default,TLS adds https, which takes some minutes more to compile.
TRAITS ?=
FLAGS := -c $(CONFIGURATION) $(if $(TRAITS),--traits $(TRAITS))
# With Swift's libraries linked statically the program runs without Swift; some toolchains lack the static libraries.
STATIC_LIBRARIES = $(shell swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1_static/p')
STANDALONE = $(if $(wildcard $(STATIC_LIBRARIES)/linux/libFoundation.a),--static-swift-stdlib)
RTSAN_FOLDER := .build-rtsan
FUZZ_FOLDER := .build-fuzz
BENCH_FOLDER := .build-bench
BROWSER_FOLDER := .build-browser
BENCH := $(BENCH_FOLDER)/$(CONFIGURATION)/bench
# The benchmarks are a package of their own, which `make test` builds to prove that it compiles.
BUILD_BENCH = swift build $(FLAGS) --package-path Benchmarks --scratch-path $(BENCH_FOLDER)
# Tests in real time. They run in lanes, all lanes at once, each with its own network and /dev/shm; within a lane one test after the
# other. Each lane takes about four minutes. A test that fails while cycles are missed is repeated.
LIVE := ^((JACKClient|Tactus|TestBench)Tests\.)
SECOND_LANE := ^TactusTests\.(Flood|HostileRun|KlickOSC|LiveEqualsRender|Memory|Opening|PanelLive|SessionLive)Tests
THIRD_LANE := ^(JACKClientTests\.(ClockIn|Freewheel|Latency)|TactusTests\.(ServerLoss|TimeCheckLive))Tests
FOURTH_LANE := ^(JACKClientTests\.PreRoll|TactusTests\.PracticeLogLive)Tests
# The program of all tests. SwiftPM would run one at a time: each of its processes locks the build's data base.
TESTS = env NO_COLOR=1 .build/$(CONFIGURATION)/tactusPackageTests.xctest --testing-library swift-testing
ONE_BY_ONE = $(TESTS) --no-parallel
# Each limit is several times the usual duration: a hanging command fails and shows what it waits for. Their sum is less than CI's limit.
LIMIT := scripts/at-most 1200
SHORT_LIMIT := scripts/at-most 300
LANE = $(LIMIT) scripts/isolated $(ONE_BY_ONE)
PIPEWIRE_LANE = $(LIMIT) scripts/isolated scripts/on-pipewire $(ONE_BY_ONE)
# Tests of the program that run on PipeWire too; those of the client all do.
ON_PIPEWIRE := ^TactusTests\.(Play|LiveEqualsRender|ServerLoss|OSCLive)Tests
CHAOS = Tests/Endurance/chaos .build/$(CONFIGURATION)/tactus --seconds 25 --limit 3
RUNS ?= 1000000
ARGS ?=
# The folders for `make install`.
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR = $(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
# Debian's packages have their own folder for completions.
ZSH = $(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
PACKAGE_FOLDER := .build-package
INSTALL_FILES := $(PACKAGE_FOLDER)/install-files
PACKAGES := $(PACKAGE_FOLDER)/packages
# The time of the commit, so that two builds of one commit are identical, byte for byte.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

# SwiftPM passes the traits in the order of a set; without this each build would have other flags, and compile all modules again.
export SWIFT_DETERMINISTIC_HASHING := 1
# For `tactus --version`. A source archive that git has made contains it in packaging/commit.
export TACTUS_COMMIT ?= $(shell [ -e .git ] && git rev-parse --short=12 HEAD 2>/dev/null || grep --only-matching '^[0-9a-f]\{12\}' packaging/commit)

.DEFAULT_GOAL := help
.PHONY: help run build test pictures rtsan chaos soak sessions machines peers crowd fuzz simulate bench bench-docs docs lint format check clean install-files install uninstall deb tarball package-test dependencies test-dependencies

help: ## Shows this list
	@echo "usage: make TARGET"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 12

# Ctrl-C reaches both tactus and make; tactus ends cleanly, so make must not report an error.
run: build ## Builds and plays; options go into ARGS="--tempo 133.7 --meter 7/8"
	@trap : INT; .build/$(CONFIGURATION)/tactus play $(ARGS) || { code=$$?; [ $$code -eq 130 ] || exit $$code; }

build: dependencies ## Builds a release, after installing missing dependencies
	@swift build $(FLAGS) $(STANDALONE) --product tactus

# The loader resolves all symbols at the start, and then nothing can overwrite them; it finds libraries only in the system's folders.
# The program exports no symbols, so that unused code is left out. Two builds are identical, byte for byte, because they have no build id
# and `install` clears the compiler's hashes of its modules. The linker of binutils packs relocations, which glibc 2.36 and newer can
# read, and uses packaging/link.ld. Each function has a section of its own, because the linker leaves out whole sections.
install-files: FLAGS += --disable-local-rpath -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic -Xlinker --build-id=none \
  -Xswiftc -use-ld=bfd -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -T -Xlinker $(CURDIR)/packaging/link.ld \
  -Xswiftc -Xfrontend -Xswiftc -function-sections
install-files: dependencies ## Builds the program, its manual pages and completions for `make install`
	@for product in tactus generate-manual; do \
	  swift build $(FLAGS) --scratch-path $(PACKAGE_FOLDER) $(STANDALONE) --product $$product || exit; \
	done
	@scripts/install-files $(PACKAGE_FOLDER)/$(CONFIGURATION)/tactus $(PACKAGE_FOLDER)/$(CONFIGURATION)/generate-manual \
	  $(INSTALL_FILES)

install: ## Installs the files of `make install-files` into DESTDIR and PREFIX=/usr/local
	@[ -d $(INSTALL_FILES) ] || { echo "nothing is built: run 'make install-files' first" >&2; exit 1; }
	install -D --mode=755 $(PACKAGE_FOLDER)/$(CONFIGURATION)/tactus $(DESTDIR)$(BINDIR)/tactus
	scripts/strip-program $(DESTDIR)$(BINDIR)/tactus
	install -D --mode=644 --target-directory=$(SHARE)/man/man1 $(INSTALL_FILES)/man/*.1
	install -D --mode=644 --target-directory=$(SHARE)/bash-completion/completions $(INSTALL_FILES)/completions/tactus
	install -D --mode=644 --target-directory=$(SHARE)/zsh/$(ZSH) $(INSTALL_FILES)/completions/_tactus
	install -D --mode=644 --target-directory=$(SHARE)/fish/vendor_completions.d $(INSTALL_FILES)/completions/tactus.fish
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/lib/systemd/user packaging/tactus.service
	sed --in-place 's|@bindir@|$(BINDIR)|' $(DESTDIR)$(PREFIX)/lib/systemd/user/tactus.service
	install -D --mode=644 --target-directory=$(SHARE)/applications packaging/tactus.desktop
	install -D --mode=644 --target-directory=$(SHARE)/metainfo packaging/org.tactus.tactus.metainfo.xml
	install -D --mode=644 --target-directory=$(SHARE)/icons/hicolor/scalable/apps packaging/tactus.svg
	install -D --mode=644 --target-directory=$(SHARE)/doc/tactus README.md CHANGELOG.md CONTRIBUTING.md
	install -D --mode=644 --target-directory=$(SHARE)/doc/tactus/docs docs/*.md
	install -D --mode=644 --target-directory=$(SHARE)/doc/tactus/docs/sound docs/sound/*
	install -D --mode=644 --target-directory=$(SHARE)/doc/tactus/docs/pictures docs/pictures/*
	install -D --mode=644 --target-directory=$(SHARE)/doc/tactus/sessions sessions/*
	install -D --mode=644 --target-directory=$(SHARE)/doc/tactus/remotes remotes/*

uninstall: ## Removes what `make install` has installed; settings stay
	rm -f $(DESTDIR)$(BINDIR)/tactus $(SHARE)/man/man1/tactus.1 $(SHARE)/man/man1/tactus-*.1
	rm -f $(SHARE)/bash-completion/completions/tactus $(SHARE)/zsh/$(ZSH)/_tactus
	rm -f $(SHARE)/fish/vendor_completions.d/tactus.fish $(DESTDIR)$(PREFIX)/lib/systemd/user/tactus.service
	rm -f $(SHARE)/applications/tactus.desktop $(SHARE)/metainfo/org.tactus.tactus.metainfo.xml
	rm -f $(SHARE)/icons/hicolor/scalable/apps/tactus.svg
	rm -rf $(SHARE)/doc/tactus

# `clean` goes first, because the remains of an interrupted build would be mistaken for a finished one.
deb: ## Builds the Debian package into .build-package/packages
	@scripts/install-dependencies debhelper
	@mkdir -p $(PACKAGES)
	@DEB_RULES_REQUIRES_ROOT=no PACKAGES=$(PACKAGES) debian/rules clean binary
	@debian/rules clean

tarball: install-files ## Packs the program for other distributions into .build-package/packages
	@scripts/tarball $(PACKAGES)

package-test: ## Installs the package in a fresh Debian, plays, upgrades and purges it there
	@scripts/install-dependencies debootstrap lintian appstream desktop-file-utils mandoc python3 zsh fish
	@scripts/at-most 900 scripts/package-test $(PACKAGES)

# Some tests use internal declarations.
test: FLAGS += -Xswiftc -enable-testing
test: dependencies test-dependencies ## Runs all tests, on their own JACK servers and on PipeWire
	@TACTUS_FUZZ=1 swift build $(FLAGS) --target Fuzz
	@$(BUILD_BENCH) --product bench
	@swift build $(FLAGS) --build-tests
	@scripts/docs --check .build/$(CONFIGURATION)/tactus
	@scripts/tell-failures $(LIMIT) scripts/isolated $(TESTS) --skip '$(LIVE)'
	@scripts/tell-failures scripts/at-once \
	  "$(LANE) --filter '$(LIVE)' --skip '$(SECOND_LANE)' --skip '$(THIRD_LANE)' --skip '$(FOURTH_LANE)'" \
	  "$(LANE) --filter '$(SECOND_LANE)'" "$(LANE) --filter '$(THIRD_LANE)'" "$(LANE) --filter '$(FOURTH_LANE)'" \
	  "$(PIPEWIRE_LANE) --filter '^JACKClientTests\.'" \
	  "$(PIPEWIRE_LANE) --filter '$(ON_PIPEWIRE)' \
	    && $(SHORT_LIMIT) scripts/isolated $(CHAOS) && $(SHORT_LIMIT) scripts/isolated scripts/on-pipewire $(CHAOS)" \
	  "$(LIMIT) scripts/isolated Tests/Browser/page .build/$(CONFIGURATION)/tactus"
	@$(MAKE) --no-print-directory rtsan

rtsan: dependencies ## Plays a session under RealtimeSanitizer, and tests the page over https
	@if flags=$$(scripts/rtsan-flags); then \
	  scripts/install-dependencies openssl iproute2 \
	  && swift build -c release --scratch-path $(RTSAN_FOLDER) --traits default,TLS --product tactus $$flags \
	  && $(SHORT_LIMIT) scripts/isolated scripts/rtsan-session $(RTSAN_FOLDER)/release/tactus \
	  && $(SHORT_LIMIT) scripts/isolated Tests/Browser/https $(RTSAN_FOLDER)/release/tactus; \
	else echo "rtsan: skipped, this toolchain ships no RealtimeSanitizer"; fi

chaos: build ## Kills servers, fills disks and sends floods for two minutes; ARGS="--seconds 600", "--kills 100", --clock
	@scripts/isolated Tests/Endurance/chaos .build/$(CONFIGURATION)/tactus $(ARGS)

soak: build ## Plays for an hour with everything on, and checks the sound; ARGS="--hours 8"
	@$(BUILD_BENCH) $(STANDALONE) --product bench
	@scripts/isolated Tests/Endurance/soak .build/$(CONFIGURATION)/tactus $(BENCH) $(ARGS)

sessions: build ## Opens, saves, switches and closes sessions of a session manager, a hundred rounds; ARGS="--rounds 10"
	@scripts/isolated Tests/Endurance/sessions .build/$(CONFIGURATION)/tactus $(ARGS)

machines: build ## Plays on two machines in network namespaces, and measures the difference of their clicks
	@scripts/install-dependencies zita-njbridge jackd2 iproute2 || echo "machines: only installed programs are measured"
	@scripts/isolated Tests/Endurance/machines .build/$(CONFIGURATION)/tactus $(ARGS)

peers: build ## Plays beside Ardour and Hydrogen, and measures the difference of their clicks
	@scripts/isolated Tests/Endurance/peers .build/$(CONFIGURATION)/tactus $(ARGS)

browser: build ## Tests the web page in Chromium, OSCQuery with its own client, and accessibility
	@scripts/install-dependencies chromium zbar-tools python3-venv
	@test -x $(BROWSER_FOLDER)/bin/python3 || python3 -m venv $(BROWSER_FOLDER)
	@$(BROWSER_FOLDER)/bin/pip install --quiet playwright axe-playwright-python python-oscquery zeroconf
	@for test in page oscquery crowd; do PATH=$(abspath $(BROWSER_FOLDER))/bin:$$PATH \
	  scripts/isolated Tests/Browser/$$test .build/$(CONFIGURATION)/tactus --results bench-results $(ARGS) || exit; done

crowd: build ## Connects twenty clients to the web page, one frozen and one flooding, and measures how late the others get beats
	@scripts/isolated Tests/Browser/crowd .build/$(CONFIGURATION)/tactus --strict --results bench-results $(ARGS)

fuzz: dependencies ## Feeds RUNS=1000000 generated inputs to each reader, with libFuzzer
	@TACTUS_FUZZ=1 swift build -c release --scratch-path $(FUZZ_FOLDER) --product Fuzz -Xswiftc -enable-testing \
	  -Xswiftc -sanitize=fuzzer,address
	@scripts/isolated scripts/fuzz $(FUZZ_FOLDER)/release/Fuzz $(FUZZ_FOLDER)/found $(RUNS) $(ARGS)

pictures: build ## Makes the documents' pictures of the web page, with Chromium and Playwright
	@scripts/isolated Tests/Browser/page .build/$(CONFIGURATION)/tactus --pictures docs/pictures

simulate: FLAGS += -Xswiftc -enable-testing
simulate: dependencies ## Runs the program through RUNS=100 simulated hours of faults; ARGS="--seed 101 --keep-going"
	@swift build $(FLAGS) --product Simulator
	@.build/$(CONFIGURATION)/Simulator --runs $(if $(findstring command,$(origin RUNS)),$(RUNS),100) $(ARGS)

bench: FLAGS += $(STANDALONE)
bench: dependencies ## Measures against klick and others, about 20 minutes; ARGS="mixing --quick"
	@scripts/install-dependencies klick jack-midi-clock valgrind iproute2 aubio-tools hydrogen-data || echo "bench: only installed programs are measured"
	@$(MAKE) --no-print-directory install-files
	@for product in callback-probe bench; do $(BUILD_BENCH) --product $$product || exit; done
	@TACTUS=$(PACKAGE_FOLDER)/$(CONFIGURATION)/tactus TACTUS_PACKAGE=$(lastword $(sort $(wildcard $(PACKAGES)/tactus_*.deb))) \
	  scripts/isolated $(BENCH) $(ARGS)

bench-docs: ## Writes the last measurements into docs/benchmarks.md
	@$(BENCH) docs

docs: build test-dependencies ## Writes the generated tables and pictures into the documents
	@scripts/docs .build/$(CONFIGURATION)/tactus

lint: ## Checks documents against the code, writers of state, imports that need traits, and the format
	@scripts/check-guarantees
	@scripts/check-design
	@scripts/check-links
	@scripts/check-traits
	@scripts/check-state
	@swift format lint --strict --recursive Package.swift Benchmarks Sources Tests

format: ## Formats the sources
	@swift format --in-place --recursive Package.swift Benchmarks Sources Tests

check: FLAGS += -Xswiftc -warnings-as-errors
check: lint test ## Checks the format, builds without warnings, runs all tests

clean: ## Removes all builds and results
	rm -rf .build $(PACKAGE_FOLDER) $(RTSAN_FOLDER) $(FUZZ_FOLDER) $(BENCH_FOLDER) bench-results

dependencies:
	@scripts/install-dependencies

# Programs that the tests use.
test-dependencies:
	@scripts/install-dependencies liblo-tools iproute2 python3 tmux libltc-dev
	@scripts/install-dependencies pipewire pipewire-jack || echo "test: PipeWire is missing: its tests are skipped"
	@scripts/install-dependencies hydrogen-data || echo "test: hydrogen-data is missing: tests with recorded drums are skipped"
	@scripts/install-dependencies puredata-core || echo "test: puredata-core is missing: the test of its example is skipped"
