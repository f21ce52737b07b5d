# Thin: Meson does the work, tools/ holds what is longer than a line.
# `make help` prints the targets from the ## comments.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 20
SANITIZE = -Dtests=enabled -Dwerror=true -Db_lundef=false

build: ## Build the library and the program into build/
	@tools/build build
	@ln -sf build/compile_commands.json compile_commands.json

check: ## Install what is missing, build, run every test
	@./check

asan: ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/build build-asan $(SANITIZE) -Db_sanitize=address,undefined
	@tools/run-tests build-asan --no-suite tools

tsan: ## The tests under ThreadSanitizer
	@tools/build build-tsan $(SANITIZE) -Db_sanitize=thread
	@tools/run-tests build-tsan --no-suite tools

clang: ## Build with clang, every warning an error
	@CC=clang tools/build build-clang -Dtests=enabled -Dwerror=true

fuzz: ## Fuzz every decoder for FUZZ_SECONDS (20) seconds each
	@tools/deps ci
	@CC=clang tools/build build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@tools/fuzz build-fuzz $(FUZZ_SECONDS)

tidy: ## clang-tidy over src/
	@tools/deps ci
	@CC=clang tools/build build-clang -Dtests=enabled -Dwerror=true
	@find src -name '*.c' | sort | xargs -P 2 -n 1 clang-tidy --quiet -p build-clang 2>build-clang/tidy.log

format: ## clang-format every C file
	@tools/deps ci
	@git ls-files '*.[ch]' ':!tests/tools/fixture' | xargs clang-format -i

bench: ## Run the benchmarks, print ratios beside their targets
	@tools/deps bench
	@tools/build build -Dbench=true
	@tools/bench build

static: ## Link trotline-hook with musl: build-static/trotline-hook starts on any Linux
	@tools/static build-static

compat: build ## Compare with npm's @google/gemini-cli: output, hooks, requests, telemetry
	@tests/compat/run

AGENTS ?= claude codex gemini qwen copilot droid pi auggie
agents: build ## Drive the real programs of other agents with trotline as their hook: AGENTS="claude codex"
	@tests/agents/install --latest build/agents $(AGENTS)
	@tests/agents/run build/agents $(AGENTS)

docs: ## Check the documentation: links, man pages, rules without a test
	@tools/checkdocs

install: build ## Install into PREFIX (/usr/local), below DESTDIR when set
	@tools/build build -Dprefix=$(PREFIX)
	@meson install -C build --no-rebuild --quiet

dist: ## Make a tarball of HEAD, build it and test it
	@tools/dist

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

clean: ## Remove every build directory
	@rm -rf build build-asan build-tsan build-clang build-fuzz compile_commands.json

.PHONY: build check asan tsan clang fuzz tidy format bench static compat agents docs install dist help clean
