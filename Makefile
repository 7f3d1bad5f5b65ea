# The targets that a person and CI run alike. `make` lists them.

GO        ?= go
BENCH     ?= .
BENCHTIME ?= 200ms
PKG       ?= ./...

# The platforms that must build and vet; linux/amd64 and linux/386 also run their tests.
PLATFORMS := linux/arm64 darwin/arm64 windows/amd64 freebsd/amd64 js/wasm

# Every nested module, by its go.mod.
NESTED := $(sort $(patsubst ./%/go.mod,%,$(shell find . -mindepth 2 -name go.mod -not -path '*/.*' -not -path '*/testdata/*')))

# Packages whose code differs, or sits on code that differs, with the portable parker.
PARKING := $(foreach dir,internal/park sleepevent namedthread taskgraph,$(if $(wildcard $(dir)),./$(dir)/...))

.DEFAULT_GOAL := help
.PHONY: help check test race race-short vet fmt staticcheck test-386 test-nolinkname cross nested bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: fmt vet staticcheck test race-short ## what to run before a commit

test: ## the tests, as the README says
	$(GO) test ./...

race: ## the tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./...

race-short: ## the same, without what is long
	CGO_ENABLED=1 $(GO) test -race -short ./...

vet: ## go vet, with the portable parker too
	$(GO) vet ./...
	$(GO) vet -tags heddle_nolinkname ./...

fmt: ## fail if gofmt would change a file
	@out=$$(find . -name '*.go' -not -path '*/.*' -not -path '*/testdata/*' -exec gofmt -l {} +) && if [ -n "$$out" ]; then echo "not formatted, run gofmt -w on:"; echo "$$out"; exit 1; fi

staticcheck: ## staticcheck as pinned in internal/tools, in every module
	$(GO) -C internal/tools build -o "$(CURDIR)/bin/staticcheck" honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck ./...
	bin/staticcheck -tags heddle_nolinkname ./...
	@set -e; for dir in $(NESTED); do echo "staticcheck $$dir"; (cd "$$dir" && "$(CURDIR)/bin/staticcheck" ./...); done

test-386: ## the tests as a 32-bit program (on amd64 or 386)
	CGO_ENABLED=0 GOARCH=386 $(GO) test ./...

test-nolinkname: ## the tests of what parks, with the portable parker
	$(GO) test -tags heddle_nolinkname $(PARKING)

cross: ## build and vet for the other platforms
	@set -e; for p in $(PLATFORMS); do echo "build and vet $$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build ./...; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./...; done

nested: ## test and vet every nested module
	@set -e; for dir in $(NESTED); do echo "nested module $$dir"; \
		$(GO) -C "$$dir" vet ./...; $(GO) -C "$$dir" test ./...; done

bench: ## benchmarks: BENCH=regexp PKG=./lockfree BENCHTIME=1s
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem $(PKG)
