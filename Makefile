# chatvault: `make help` says what each target does.

GO      ?= go
BIN     := bin
TOOLBIN := .bin

GOLANGCI_VERSION := v2.15.0
GOFUMPT_VERSION  := v0.12.0
MISSPELL_VERSION := v0.8.0

# Modules of their own, so that what they need stays out of the product.
MODULES := bench/baretui bench/retrieval bench/tokens internal/packaging internal/ptytest/screens internal/sdkoracle

# What makes the film of its recording.
SVGTERM = npx --yes svg-term-cli@2.1.1 --window --no-cursor

# How long make stress runs each fuzz target.
FUZZTIME ?= 60s

.DEFAULT_GOAL := help
.PHONY: help run demo build cross windows release releasecheck install check test golden bench stress conformance clients models lint fmt catalog rename pictures

help: ## says what each target does
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## opens the chat on the vault of the folder it is called from (VAULT=dir for another)
	@$(BIN)/chatvault $(if $(VAULT),--vault "$(VAULT)")

demo: build ## opens the chat on a copy of the sample vault; no key, no network
	@$(BIN)/chatvault demo

build: ## makes bin/chatvault, which needs no library of the system
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -ldflags "-s -w" -o $(BIN)/chatvault .

PREFIX ?= $(HOME)/.local
install: build ## copies it to PREFIX/bin (~/.local/bin), where PATH should find it
	@install -d $(DESTDIR)$(PREFIX)/bin
	@install -m 755 $(BIN)/chatvault $(DESTDIR)$(PREFIX)/bin/chatvault
	@echo "chatvault is in $(DESTDIR)$(PREFIX)/bin"
	@command -v chatvault >/dev/null || echo "That folder is not in PATH: export PATH=\"$(PREFIX)/bin:\$$PATH\""

# What check leaves to make test: the real binary in scripts and terminals, killed and starved.
SLOW := /(internal/e2e|stress|bench)(/|$$)

check: ## what to run after each change: vet, build, the fast tests (no race detector, no end-to-end)
	@$(GO) vet ./...
	@$(MAKE) --no-print-directory build
	@$(GO) test -short -vet=off $$($(GO) list ./... | grep -vE '$(SLOW)')
	@$(GO) test -short -vet=off -run TestArrows ./internal/e2e

golden: ## writes the golden files anew; look at what git diff says of them
	@$(GO) test -count=1 $$(git grep -l -e 'flag.Bool("update"' -e 'ptytest/golden"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update

# Tests sync what they write, thousands of times: where the system keeps files in memory, with room for
# them and for binaries, that is where they write.
IN_MEMORY := grep -qs '^[^ ]* /dev/shm tmpfs' /proc/mounts && ! grep -qs ' /dev/shm tmpfs [^ ]*noexec' /proc/mounts \
  && df -Pk /dev/shm | awk 'NR == 2 { exit $$4 < 6000000 }' && export TMPDIR=/dev/shm

# All tests run without the race detector, and those of packages with goroutines or locks once more with it, which takes
# three to five times as long. So it leaves out what -short leaves out, but not in agent, and the tests that do much in one
# goroutine. In what runs the real binary it finds nothing, since that is built without it. That comes first, since it takes
# the longest and waits more than it works.
CONCURRENT := ^[[:space:]]*go [a-z(]|\.Go\(|"sync/atomic"|sync\.(Mutex|RWMutex|WaitGroup|Cond|Pool|Map)
ONE_GOROUTINE := HostileText|FrameTime|ScrollingUp|FramesAlwaysFit|NewItemsKeep|FindInMany|Restyle|TestDamage$$|TestCutAtEachStep|UndoRestoresEverything
RACE := GORACE=atexit_sleep_ms=0 $(GO) test -race -vet=off -timeout 20m
test: ## runs all tests: end-to-end scripts, terminal tests, and with the race detector what is concurrent
	@$(GO) vet ./...
	@$(IN_MEMORY); failed= raced=; for d in $$($(GO) list -f '{{.Dir}}' ./... | grep -vE '/(bench/.*|agent)$$'); do \
	    ls $$d/*.go | grep -v _test.go | xargs grep -qsE '$(CONCURRENT)' && raced="$$raced $$d"; done; \
	  $(GO) test -vet=off -timeout 20m -parallel 6 -p 3 ./internal/e2e ./stress ./... || failed=1; \
	  $(RACE) ./agent & agent=$$!; \
	  $(RACE) -short -skip '$(ONE_GOROUTINE)' $$raced || failed=1; wait $$agent || failed=1; [ ! "$$failed" ]
	@for m in $(MODULES); do (cd $$m && $(GO) test ./...) || exit 1; done

# The other systems it is made for. Unoptimised, because nobody runs it: that halves the time.
FOREIGN := $(filter-out $(shell $(GO) env GOHOSTOS)/$(shell $(GO) env GOHOSTARCH),$(shell cat internal/packaging/targets))
QUICKLY := -gcflags='all=-N -l -dwarf=false'

cross: ## builds and vets it for the systems that make test does not see here
	@for t in $(FOREIGN); do echo "build and vet $$t" && export CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} && \
	  $(GO) build $(QUICKLY) -o "$(BIN)/cross/$$t/" . && \
	  $(GO) vet $(QUICKLY) $$($(GO) list ./... | grep -vE '/(internal/e2e|stress)$$') || exit 1; done

windows: ## tries the program for Windows in Wine 10 (WINE=program)
	@sh internal/packaging/windows.sh

release: ## makes a release of the commit in dist/: archives, packages, checksums, recipes (URL=, MAINTAINER=; docs/internals/releasing.md)
	@sh internal/packaging/release.sh "$(URL)" "$(MAINTAINER)"

releasecheck: ## makes it twice and compares; installs, upgrades and removes it in a fresh Debian where root may
	@cd internal/packaging && $(GO) test -count=1 -v -timeout 90m -run TestRelease -releasecheck

bench: build ## prints ratios against anchors measured in the same run (AGAINST=FILE: an earlier one too)
	@$(GO) run ./bench/run $(if $(AGAINST),-against $(AGAINST))

models: build ## measures how well a model does everyday tasks (BASE_URL, MODEL, OFFLINE=1, VAULT2=dir, ARGS="-only …"; bench/README.md)
	@$(GO) run ./bench/models $(ARGS)

stress: ## runs the long forms of the tests that have one, with their controls, and each fuzz target for FUZZTIME (60s)
	@GO=$(GO) FUZZTIME=$(FUZZTIME) sh stress/run.sh

conformance: ## runs the Model Context Protocol's suite and its inspector, from npm where it is there
	@sh internal/app/mcp/conformance.sh

clients: build ## has six agents of other programs, from npm, work on a vault with a scripted model (ARGS="-only codex -v"; bench/clients/README.md)
	@$(GO) run ./bench/clients $(ARGS)

lint: $(TOOLBIN)/golangci-lint $(TOOLBIN)/gofumpt $(TOOLBIN)/misspell ## checks formatting, likely mistakes and spelling
	@unformatted=$$($(TOOLBIN)/gofumpt -l $$(git ls-files '*.go')); \
	  if [ -n "$$unformatted" ]; then echo "not formatted (make fmt mends it):"; echo "$$unformatted"; exit 1; fi
	@$(TOOLBIN)/golangci-lint run ./...
	@$(TOOLBIN)/misspell -error $$(git ls-files '*.md' '*.tmpl' ':!:testdata')
	@for m in $(MODULES); do if [ -d $$m ]; then (cd $$m && $(GO) vet ./...) || exit 1; fi; done

fmt: $(TOOLBIN)/gofumpt ## formats the code
	@$(TOOLBIN)/gofumpt -w $$(git ls-files '*.go')

$(TOOLBIN)/golangci-lint:
	@echo "installing golangci-lint $(GOLANGCI_VERSION)"
	@GOBIN="$(CURDIR)/$(TOOLBIN)" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(TOOLBIN)/gofumpt:
	@echo "installing gofumpt $(GOFUMPT_VERSION)"
	@GOBIN="$(CURDIR)/$(TOOLBIN)" $(GO) install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)

$(TOOLBIN)/misspell:
	@echo "installing misspell $(MISSPELL_VERSION)"
	@GOBIN="$(CURDIR)/$(TOOLBIN)" $(GO) install github.com/golangci/misspell/cmd/misspell@$(MISSPELL_VERSION)

CATWALK ?= v0.52.86
catalog: ## brings windows and prices of models up to date (CATWALK=version; needs jq and unzip)
	@zip=$$($(GO) mod download -json charm.land/catwalk@$(CATWALK) 2>/dev/null | jq -r .Zip) && cd agent/llm/models \
	  && { echo "# charm.land/catwalk $(CATWALK), MIT"; unzip -p "$$zip" '*/internal/providers/configs/*.json' | jq -scf catalog.jq; } | gzip -9n >models.json.gz

rename: ## gives the Go module another path (MODULE=github.com/you/chatvault), which go install then takes
	@test -n "$(MODULE)" || { echo "say which: make rename MODULE=github.com/you/chatvault"; exit 2; }
	@old=$$($(GO) list -m) && git ls-files -z '*.go' \
	  | xargs -0 sed -i -E "s#^((import )?[[:space:]]*([A-Za-z_.0-9]+ )?\")$$old(/[^\"]*\")#\1$(MODULE)\4#" \
	  && git ls-files -z '*go.mod' | xargs -0 sed -i -E "s#(^|[[:space:]])$$old(/|[[:space:]]|\$$)#\1$(MODULE)\2#g"
	@$(GO) vet ./... && $(GO) test -run 'TestArrows' ./internal/e2e

pictures: ## records the scenes of the real screen again and draws docs/screens (the film needs npm)
	@$(GO) test -count=1 -run TestPicture ./internal/e2e -screens
	@cd internal/ptytest/screens && $(GO) run . ../../e2e/testdata/screens ../../../docs/screens
	@$(SVGTERM) --in docs/screen.cast --out docs/screen.svg
