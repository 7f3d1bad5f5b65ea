# The targets that a person and CI run alike. `make` lists them.

GO        ?= go
BENCH     ?= .
BENCHTIME ?= 200ms
PKG       ?= ./...

# The platforms that must build and vet; linux/amd64 and linux/386 also run their tests.
PLATFORMS := linux/arm64 darwin/arm64 windows/amd64 freebsd/amd64 js/wasm

# Every nested module, by its go.mod, but for what compares databases: nothing stands on it, and to
# compile these takes as long as all the rest. `make test-compared` is for whoever changes it.
# On Linux contrib/ebiten compiles only with the headers of X11, which CI installs.
COMPARED := assets/store/compare
NO_X11   := $(if $(wildcard /usr/include/X11/extensions/Xrandr.h),,contrib/ebiten)
NESTED   := $(filter-out $(COMPARED) $(NO_X11),$(sort $(patsubst ./%/go.mod,%,$(shell find . -mindepth 2 -name go.mod -not -path '*/.*' -not -path '*/testdata/*'))))

# The examples are a module, so that nobody who imports the library downloads or tests them. They
# are looked at as the library is: with the tests of other nested modules CI runs theirs, but with
# nothing left out, and the race detector looks at them.
EXAMPLES := examples

# What reads the source needs packages of the go command's own that nothing else here does, and is
# of no use to who imports the library: it is in modules too, and looked at like the examples. But
# the go command keeps the result of a test if no file has changed in the test's own module, and
# these read the others: their tests run each time. So do those of examples/migration, which read
# the guides in docs.
READERS := internal/dev/archtest stress/mutants
AFRESH   = $(if $(filter $(READERS) examples/migration,$(1)),-count=1)

# What another release of Go or 32 bits could break. The examples and the tools of this project run
# their tests on one release of 64 bits, and are built for the others.
LIBRARY := ./graphevent/... ./internal/atomics/... ./internal/cacheline/... ./internal/modelcheck/... ./internal/osthread/... ./internal/paged/... ./internal/park/... ./internal/spin/... ./internal/turns/... ./internal/yield/... ./lockfree/... ./namedthread/... ./sleepevent/... ./stress ./stress/faults ./stress/history ./stress/internal/mix ./stress/modelcheck/... ./stress/watch ./taskgraph/...

# Packages whose ordinary tests also run on the checker's words, as code outside a model does.
MODELED := $(foreach dir,graphevent internal/atomics internal/modelcheck internal/paged internal/park internal/yield lockfree namedthread sleepevent stress/modelcheck taskgraph/internal/abandon taskgraph/internal/asides taskgraph/internal/beat taskgraph/internal/bundles taskgraph/internal/capacity taskgraph/internal/counts taskgraph/internal/crew taskgraph/internal/door taskgraph/internal/flight taskgraph/internal/gates taskgraph/internal/joins taskgraph/internal/kernel taskgraph/internal/pending taskgraph/internal/places taskgraph/internal/promotion taskgraph/internal/records taskgraph/internal/spread taskgraph/internal/waits,./$(dir)/...)

# How long `make model-long` goes on, and how many random programs `make selftest` compares.
HOURS ?= 1
FRAMES ?= 100000
N     ?= 100000

# Packages that park, or name the parker: with the tag heddle_nolinkname it is the portable one.
# What builds on them learns no more about it than their own tests do; for a release its tests run
# with the tag as well.
PARKING := ./internal/park ./sleepevent ./namedthread ./taskgraph ./taskgraph/internal/abandon ./taskgraph/internal/asides ./taskgraph/internal/capacity ./taskgraph/internal/cast ./taskgraph/internal/door ./taskgraph/internal/kernel ./taskgraph/internal/waits

.DEFAULT_GOAL := help

# What only compiles and reads has memory to spare, and takes a tenth less if it collects its
# garbage less often.
vet staticcheck vet-changed staticcheck-changed cross: export GOGC = 400

# The newest of each release of Go that its team supports, in which `make test-releases` runs the
# tests.
RELEASES := go1.26.8 go1.27.4

.PHONY: help check vet-changed staticcheck-changed race-changed test test-examples test-readers test-long nested-long release bare readme explore race race-long vet fmt staticcheck tidy test-releases test-degraded test-386 test-386-natively test-arm test-arm64 test-wasm test-windows test-nolinkname faults test-compared cross nested bench \
	bench-quick bench-compare count test-model model model-race model-long zoo zoo-sample zoo-native mutants mutants-sample selftest soak soak-ci soak-ops soak-builds soak-assets soak-farm soak-frame proof-frame fuzz \
	cover commands verification record-models record-race record-long record-zoo record-native record-mutants record-cover record-soak record-passed

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: fmt tidy vet-changed staticcheck-changed test test-examples test-readers race-changed ## what to run before a commit: all tests of the library, the examples and the rules; of the rest what looks at what has changed since main

# CI looks at everything. What a change breaks beyond what it edits, the tests find as a rule.
CHANGED          = $(eval CHANGED := $(shell .ci/changed packages))$(CHANGED)
CHANGED_EXAMPLES = $(eval CHANGED_EXAMPLES := $(shell .ci/changed packages $(EXAMPLES)))$(CHANGED_EXAMPLES)
CHANGED_MODULES  = $(eval CHANGED_MODULES := $(filter $(NESTED),$(shell .ci/changed modules)))$(CHANGED_MODULES)

# Tests run in their short form unless they are told not to: see internal/dev/short.
LONG := -short=false

test: ## the tests in short form, as the README says
	$(GO) test ./...

test-examples: ## the same of the examples
	$(GO) -C $(EXAMPLES) test ./...

test-readers: ## the same of what reads the source: the rules of the house, and what edits it
	@set -e; for dir in $(READERS); do echo "nested module $$dir"; $(GO) -C "$$dir" test -count=1 ./...; done

# Where the target vet looks at the same text, these do not look again.
UNVETTED := -vet=off

# Here to compile takes as long as to test. What compiles collects its garbage less often, as above;
# the tests run as they would without this.
test-long nested nested-long race race-long test-nolinkname test-386: export GOGC = 400
UNVETTED_SPARE := $(UNVETTED) -exec 'env -u GOGC'

test-long: ## the tests with nothing left out; vet looks at them
	$(GO) test $(UNVETTED_SPARE) $(LONG) ./...

nested-long: ## the same of every nested module
	@set -e; $(foreach dir,$(NESTED),echo "nested module $(dir)"; $(GO) -C "$(dir)" test $(UNVETTED_SPARE) $(call AFRESH,$(dir)) $(LONG) ./...;)

# Packages that start no goroutine, and whose tests start none: the race detector has nothing to
# find in them.
SERIAL := examples/internal/dag examples/internal/engine/anim examples/internal/engine/audio examples/internal/engine/cloth examples/internal/engine/cull examples/internal/engine/draw examples/internal/engine/figure examples/internal/engine/mesh examples/internal/engine/order examples/internal/engine/particle examples/internal/engine/rigid examples/internal/engine/vec examples/internal/figures examples/synth/internal/dsp examples/synth/internal/orchestra examples/synth/internal/score internal/cacheline internal/dev/pagecache internal/dev/syntax stress/verification
# $(call raced,MODULE): the other packages of a module.
raced = $(filter-out $(SERIAL:%=github.com/heddle-go/heddle/%),$(shell $(GO) -C $(1) list ./...))

# Under the race detector a program sleeps for a second before it exits, unless it is told not to,
# in case that a goroutine is left that still has a race. Tests wait for those that they start, and
# where the library could leave one TestMain looks.
race race-long race-changed: export GORACE := atexit_sleep_ms=0 $(GORACE)

race: ## the tests in short form under the race detector, where there is more than one goroutine (needs a C compiler)
	CGO_ENABLED=1 $(GO) test $(UNVETTED_SPARE) -race $(call raced,.)
	CGO_ENABLED=1 $(GO) -C $(EXAMPLES) test $(UNVETTED_SPARE) -race $(call raced,$(EXAMPLES))
	CGO_ENABLED=1 $(GO) -C stress/mutants test -count=1 $(UNVETTED_SPARE) -race ./...

race-changed: ## the same of the packages that have changed
	$(if $(CHANGED),CGO_ENABLED=1 $(GO) test $(UNVETTED) -race $(CHANGED))
	$(if $(CHANGED_EXAMPLES),CGO_ENABLED=1 $(GO) -C $(EXAMPLES) test $(UNVETTED) -race $(CHANGED_EXAMPLES))
	$(if $(filter stress/mutants,$(CHANGED_MODULES)),CGO_ENABLED=1 $(GO) -C stress/mutants test -count=1 $(UNVETTED) -race ./...)

race-long: ## the tests under the race detector with nothing left out
	CGO_ENABLED=1 $(GO) test $(UNVETTED_SPARE) -race $(LONG) ./...
	CGO_ENABLED=1 $(GO) -C $(EXAMPLES) test $(UNVETTED_SPARE) -race $(LONG) ./...
	CGO_ENABLED=1 $(GO) -C stress/mutants test -count=1 $(UNVETTED_SPARE) -race $(LONG) ./...

# The packages of which a file depends on a tag. In the others vet would read the same text again;
# what they use of those that do is compiled by test-nolinkname, test-model, faults, soak-ci and
# count.
TAGS   := heddle_nolinkname modelcheck heddle_count heddle_noassert heddle_faults race
tagged   = $(call matching,^//go:build.*\b$(1),$(2))
# $(call matching,REGEXP,MODULE): the folders with files that match, of the root module unless
# another one is named.
matching = $(sort $(dir $(shell cd $(or $(2),.) && grep -rlE '$(1)' --include='*.go' --exclude-dir=testdata . | \
	grep -v $(patsubst $(2:%=%/)%,-e '^./%/',$(filter $(2:%=%/)%,$(NESTED))))))

# Nested modules that have models.
NESTED_MODELED := $(foreach dir,$(NESTED),$(if $(shell find $(dir) -name '*_model_test.go' -not -path '*/testdata/*'),$(dir)))

vet: ## go vet in every module, and with the portable parker, the model checker, the counting words and the race detector too (needs a C compiler)
	$(GO) vet ./...
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(NESTED:%=vet/%) $(TAGS:%=vet-tag/%) $(NESTED_MODELED:%=vet-models/%)

# What changes with a module or a tag is little, and compiled one thing after the other.
vet/%:
	@echo "vet $*"; $(GO) -C "$*" vet ./...

# With the tag race, but not for the race detector, all of the standard library would be compiled
# once more.
vet-tag/race: export CGO_ENABLED := 1

vet-tag/%:
	@echo "vet -tags $*"; $(GO) vet $(if $(filter race,$*),-race,-tags $*) $(call tagged,$*)

vet-models/%:
	@echo "vet -tags modelcheck $*"; $(GO) -C "$*" vet -tags modelcheck ./...

# The changed packages of which a file depends on a tag; all of them if all have changed.
changed_tagged = $(if $(filter ./...,$(CHANGED)),$(call tagged,$(1)),$(filter $(CHANGED:%=%/),$(call tagged,$(1))))

vet-changed: ## the same of the packages and modules that have changed
	@set -e; echo "changed: $(CHANGED) $(CHANGED_MODULES)"; \
		$(if $(CHANGED),$(GO) vet $(CHANGED);) \
		$(foreach tag,$(TAGS),$(if $(call changed_tagged,$(tag)),echo "vet -tags $(tag)"; $(GO) vet -tags $(tag) $(call changed_tagged,$(tag));)) \
		$(foreach dir,$(CHANGED_MODULES),echo "vet $(dir)"; $(GO) -C $(dir) vet ./...;) \
		$(foreach dir,$(filter $(NESTED_MODELED),$(CHANGED_MODULES)),echo "vet -tags modelcheck $(dir)"; $(GO) -C $(dir) vet -tags modelcheck ./...;)

fmt: ## fail if gofmt would change a file
	@out=$$(find . -name '*.go' -not -path '*/.*' -not -path '*/testdata/*' -exec gofmt -l {} +) && if [ -n "$$out" ]; then echo "not formatted, run gofmt -w on:"; echo "$$out"; exit 1; fi

STATICCHECK = $(GO) -C internal/dev/tools build -o "$(CURDIR)/bin/staticcheck" honnef.co/go/tools/cmd/staticcheck

staticcheck: ## staticcheck as pinned in internal/dev/tools, in every module
	$(STATICCHECK)
	bin/staticcheck ./...
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(STATIC_TAGS:%=staticcheck-tag/%) $(NESTED:%=staticcheck/%) $(NESTED_MODELED:%=staticcheck-models/%)

staticcheck/%:
	@echo "staticcheck $*"; cd "$*" && "$(CURDIR)/bin/staticcheck" ./...

staticcheck-tag/%:
	@echo "staticcheck -tags $*"; bin/staticcheck -tags $* $(call tagged,$*)

staticcheck-models/%:
	@echo "staticcheck -tags modelcheck $*"; cd "$*" && "$(CURDIR)/bin/staticcheck" -tags modelcheck ./...

STATIC_TAGS := heddle_nolinkname modelcheck heddle_faults

staticcheck-changed: ## the same of the packages and modules that have changed
	@set -e; $(if $(CHANGED)$(CHANGED_MODULES),$(STATICCHECK);) \
		$(if $(CHANGED),bin/staticcheck $(CHANGED);) \
		$(foreach tag,$(STATIC_TAGS),$(if $(call changed_tagged,$(tag)),bin/staticcheck -tags $(tag) $(call changed_tagged,$(tag));)) \
		$(foreach dir,$(CHANGED_MODULES),(cd $(dir) && "$(CURDIR)/bin/staticcheck" ./...);) \
		$(foreach dir,$(filter $(NESTED_MODELED),$(CHANGED_MODULES)),(cd $(dir) && "$(CURDIR)/bin/staticcheck" -tags modelcheck ./...);)

# The release that $(GO) is has its run already.
test-releases: ## the library's tests with the other supported releases of Go, which the go command fetches
	@set -e; for release in $(filter-out $(shell $(GO) env GOVERSION),$(RELEASES)); do \
		echo "the tests with $$release"; GOTOOLCHAIN=$$release $(GO) build ./...; \
		for dir in $(EXAMPLES) $(READERS); do \
			GOTOOLCHAIN=$$release $(GO) -C $$dir build -o /dev/null ./...; done; \
		GOTOOLCHAIN=$$release $(GO) test $(UNVETTED) $(LIBRARY); done

test-degraded: ## the parker with a runtime that lacks what it looks up, or forbids to link to it
	@GO='$(GO)' .ci/degraded

tidy: ## fail if go mod tidy would change a go.mod or go.sum, in every module
	@set -e; for dir in . $(NESTED); do echo "tidy $$dir"; $(GO) -C "$$dir" mod tidy -diff; done

I386 = CGO_ENABLED=0 GOARCH=386 $(GO)

# A kernel may refuse 32-bit programs of x86. Then their tests are vetted, and the tests that run on
# linux/arm64 also run on linux/arm, which has 32 bits too, under qemu-user. Under qemu-i386 Go's
# threads do not run.
test-386: ## the library's tests as a 32-bit program, on amd64 or 386 (needs qemu-user-static where the kernel runs none)
	$(I386) build ./...
	@set -e; for dir in $(EXAMPLES) $(READERS); do $(I386) -C $$dir build -o /dev/null ./...; done
	@if $(I386) test $(UNVETTED) -run '^$$' ./internal/cacheline >/dev/null 2>&1; then \
		$(MAKE) --no-print-directory test-386-natively; \
	else \
		echo "this kernel runs no 32-bit programs of x86: qemu runs some of the tests on linux/arm"; \
		$(MAKE) --no-print-directory test-arm; \
	fi

test-386-natively:
	$(I386) test $(UNVETTED_SPARE) $(LIBRARY)

test-arm:
	$(I386) vet $(LIBRARY)
	$(ARM) test $(UNVETTED) $(call QEMU,arm) $(PORTED)
	$(ARM) test $(UNVETTED) $(call QEMU,arm) $(MIXED)

# What is run on other ports, by emulators: the primitives, and what they stand on; and of taskgraph
# what mixes everything.
PORTED := $(foreach dir,internal/atomics internal/osthread internal/paged internal/park internal/turns lockfree sleepevent graphevent namedthread,./$(dir))
MIXED  := -run '^(TestMix|TestMixShutdown|TestDeterministicMix|TestDeterministicDigests|TestDeterministicGolden|TestWaysToLeave)$$' ./stress/internal/mix ./taskgraph

ARM   = CGO_ENABLED=0 GOOS=linux GOARCH=arm GOARM=7 $(GO)
ARM64 = CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO)
QEMU  = -exec "'$(CURDIR)/.ci/emulated' qemu-$(1)-static"

test-arm64: ## linux/arm64 under qemu-user: the primitives, programs of tasks, a little soak (needs qemu-user-static)
	$(ARM64) test $(UNVETTED) $(call QEMU,aarch64) $(PORTED)
	$(ARM64) test $(UNVETTED) $(call QEMU,aarch64) $(MIXED)
	$(ARM64) run $(call QEMU,aarch64) $(SOAK_CI) -rounds 4 -cpu 2,4 -hang 5m

WASM = GOOS=js GOARCH=wasm $(GO) test -exec "'$(shell $(GO) env GOROOT)/lib/wasm/go_js_wasm_exec'"

test-wasm: ## js/wasm under Node: the primitives, programs of tasks (needs node)
	$(WASM) $(UNVETTED) $(PORTED)
	$(WASM) $(UNVETTED) $(MIXED)

WINDOWS = CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) test -exec "'$(CURDIR)/.ci/wine' '$(CURDIR)/bin/wine'"

test-windows: ## windows/amd64 under Wine: the same, not in CI (needs wine64, and MinGW where that is older than 9.0)
	@.ci/wine "$(CURDIR)/bin/wine"
	$(WINDOWS) $(PORTED) ./stress/history
	$(WINDOWS) $(MIXED)

test-nolinkname: ## the tests of what parks, with the portable parker
	$(GO) test $(UNVETTED_SPARE) -tags heddle_nolinkname $(PARKING)

faults: ## the clock, the kernel, threads, memory and callbacks fail under load
	$(GO) test $(UNVETTED) -tags heddle_faults ./stress/faults

test-model: ## the ordinary tests of what the checker sees, built as it sees it
	$(GO) test $(UNVETTED) -tags modelcheck -skip '^TestModel' $(MODELED)

# What is drawn at random is drawn from SEED: 1 unless another one is given, so that CI gives the
# same answer each time. `make explore` gives others.
SEED  ?= 1
DRAWN  = -seed $(SEED)
FIXED := $(filter file,$(origin SEED))

# The protocols of the task graph are scenes, not structures: they have a budget of their own.
GRAPH      := ^(graphevent|namedthread|taskgraph)/
STRUCTURES := ^(internal|lockfree|sleepevent|stress)/

model: ## what each change must pass under the model checker
	$(GO) run ./stress/model $(DRAWN) -run '$(GRAPH)' -executions 8000
	$(GO) run ./stress/model $(DRAWN) -run '$(STRUCTURES)' -executions 1050000 \
		-min-executions 20000000 -min-each 1000000 -min-programs 200 -also sleepevent/TestModelGroup
	@set -e; for dir in $(NESTED_MODELED); do $(GO) -C "$$dir" test $(UNVETTED) -tags modelcheck -run '^TestModel' ./...; done

model-race: ## the same with the race detector as judge, and a tenth of it (needs a C compiler)
	$(GO) run ./stress/model $(DRAWN) -race -run '$(GRAPH)' -executions 800 -programs 80
	$(GO) run ./stress/model $(DRAWN) -race -run '$(STRUCTURES)' -executions 110000 -programs 200 \
		-min-executions 2000000 -min-each 100000 -min-programs 200 -also sleepevent/TestModelGroup

# What takes hours goes on where it stopped, from a state in bin: so many minutes at a time with
# PIECE=n, after an interruption, or with more HOURS. To begin anew, with another SEED or with
# changed code, delete the state.
model-long: ## the model checker for HOURS=n, with new programs all the time; SEED=n to begin elsewhere; PIECE=minutes, then again
	@mkdir -p bin
	$(GO) run ./stress/model -for $(HOURS)h -executions 8000000 $(DRAWN) -state bin/model-long.state $(if $(PIECE),-piece $(PIECE)m)

zoo: ## the checker must find every seeded bug
	$(GO) run ./stress/zoo

zoo-sample: ## the checker must find SAMPLE=40 of them, drawn by SEED=n, each of another model
	$(GO) run ./stress/zoo -sample $(or $(SAMPLE),40) $(DRAWN)

zoo-native: ## and the ordinary tests must miss it, 20 times
	$(GO) run ./stress/zoo -native

# Edits of one package take about as long as its tests and models; the state makes the next run go
# on.
FOR ?= 10m

MUTANTS = $(GO) -C stress/mutants build -o "$(CURDIR)/bin/mutants" . && bin/mutants

mutants: ## small wrong edits that tests and models must find: PKG=./lockfree SEED=1 FOR=10m STATE=file
	@mkdir -p bin
	$(MUTANTS) $(if $(filter file,$(origin PKG)),,-pkg $(PKG)) $(DRAWN) -for $(FOR) -state $(or $(STATE),bin/mutants.state)

# Those of a room of the task graph, or of what the rooms stand on, take a second or two each. The
# same are drawn each time, so that a change does not fail for an edit of what it leaves alone; make
# mutants draws from everything.
SAMPLED = $(shell $(GO) list ./taskgraph/internal/... ./internal/paged ./internal/spin ./internal/yield | \
	sed -e 's,^github.com/heddle-go/heddle,.,' -e '/kernel$$/d' | paste -sd,)

mutants-sample: ## sixty edits, drawn by SEED=n, that short tests and models must find: PKG=./...
	@mkdir -p bin
	$(MUTANTS) -pkg '$(if $(filter file,$(origin PKG)),$(SAMPLED),$(PKG))' -quick -p 2 -sample $(or $(SAMPLE),60) $(DRAWN)

selftest: ## the checker against itself: the reduced search and the full one on N=n random programs
	MODELCHECK_SELFTEST=$(N) $(GO) test -count=1 -timeout 0 -v -run '^TestDPOR' ./internal/modelcheck

# Without SEED=n the long soak begins somewhere else each time, and says where.
SOAK = ./stress/soak $(if $(FIXED),,$(DRAWN))

soak: ## everything mixed and checked for HOURS=n, in builds and surroundings of many kinds; PIECE=minutes, then again
	@mkdir -p bin
	$(GO) run $(SOAK) $(call share,4) -state bin/soak-plain.state
	GODEBUG=asyncpreemptoff=1 $(GO) run $(SOAK) $(call share,1) -state bin/soak-nopreempt.state
	GOGC=1 $(GO) run $(SOAK) $(call share,1) -chaos all -state bin/soak-chaos.state
	CGO_ENABLED=1 $(GO) run -race $(SOAK) $(call share,2) -state bin/soak-race.state
	$(GO) run -tags modelcheck $(SOAK) $(call share,2) -chaos all -state bin/soak-delays.state

# So many tenths of HOURS, and of PIECE if that is given.
share = -for $(call tenths,$(1)) $(if $(PIECE),-piece $(shell awk 'BEGIN { printf "%d", $(PIECE) * 6 * $(1) }')s)

# So many tenths of HOURS.
tenths = $(shell awk 'BEGIN { printf "%d", $(HOURS) * 360 * $(1) }')s

# By turns each of the two leaves half of two processors idle.
soak-ci: ## the same for each change: 1e8 operations, and a little in the other builds at the same time
	@$(MAKE) --no-print-directory -j2 --output-sync=target soak-ops soak-builds

SOAK_CI = ./stress/soak $(DRAWN)

soak-ops: ## of soak-ci, about 90 million operations in the ordinary build
	$(GO) run $(SOAK_CI) -rounds 1100

soak-builds: ## of soak-ci, a little in the other builds and surroundings
	GODEBUG=asyncpreemptoff=1 $(GO) run $(SOAK_CI) -rounds 75 -cpu 1,2,4
	$(GO) run $(SOAK_CI) -rounds 110 -chaos all
	CGO_ENABLED=1 $(GO) run -race $(SOAK_CI) -rounds 60
	$(GO) run -tags modelcheck $(SOAK_CI) -rounds 120 -chaos all

soak-assets: ## 100,000 loads of assets with everything that goes wrong, under the race detector
	CGO_ENABLED=1 $(GO) -C assets test -race -count=1 $(LONG) -v -run '^TestSoak$$' ./pipes

# Of the faults of a farm, FARMJOBS jobs in all of them at once take the longest.
FARMJOBS ?= 10000

soak-farm: ## faults of a farm with real processes, scene by scene, then FARMJOBS=n jobs in all of them; SEED=n
	$(GO) -C farm test -count=1 -timeout 20m $(LONG) -v ./faults -soakjobs $(FARMJOBS) -soakseed $(SEED)

# An order of deterministic mode runs one thing at a time: with six at once no processor waits for
# it.
soak-frame: proof-frame ## FRAMES=n frames of examples/frameloop under the race detector, and its whole proof without
	CGO_ENABLED=1 $(GO) -C $(EXAMPLES) test -race -count=1 -timeout 0 -v -run TestSoak ./internal/frame -soakframes $(FRAMES)

proof-frame: ## the whole proof of examples/frameloop; make nested/examples plays enough of it for a change
	$(GO) -C $(EXAMPLES) test -count=1 -timeout 0 -parallel 6 -run TestDigests ./internal/frame -proof

# A number of inputs, not a time: at the end of a time go test -fuzz may fail with "context deadline
# exceeded". The almost thirty targets take two minutes with 6000 inputs each; make fuzz
# FUZZTIME=150000x goes deeper. Without a limit, minimizing one input may take a minute. With the
# fixed seed the mutations are the same each time: one process makes them, from the seed corpus
# alone. With another SEED they also start from what earlier runs have kept in the build cache.
FUZZTIME ?= 6000x

# The packages that have fuzz targets.
FUZZED = $(sort $(patsubst ./%/,%,$(dir $(shell grep -rl '^func Fuzz' --include='*_test.go' --exclude='*_model_test.go' .))))

# Most of the time goes into compilation, of a package one thing after the other at its end, so
# there are two packages at a time; but the first compiles alone what all share. All targets of a
# package are in one program.
fuzz: ## each fuzz target with FUZZTIME (6000x) inputs, or for so long; those of one package by make fuzz/lockfree
	@$(MAKE) --no-print-directory fuzz/$(firstword $(FUZZED))
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(patsubst %,fuzz/%,$(filter-out $(firstword $(FUZZED)),$(FUZZED)))

fuzz/%:
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; cd "$*"; \
		GOGC=400 $(GO) test $(UNVETTED) -c -fuzz . -o "$$dir/tests"; \
		cache=$(if $(FIXED),$$dir/cache,$$($(GO) env GOCACHE)/fuzz/$$($(GO) list)); \
		for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$(grep -l '^func Fuzz' --exclude='*_model_test.go' *_test.go)); do \
			echo "$* $$t"; \
			GODEBUG=fuzzseed=$(SEED) "$$dir/tests" -test.parallel $(if $(FIXED),1,2) \
				-test.run '^$$' -test.fuzz "^$$t\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 100x -test.fuzzcachedir "$$cache"; done

# The standard library is the same on every port but for syscall, so a package compiles on one if it
# does on another, unless it has files for some of them or calls the system. For most platforms vet
# looks at such packages alone; for those in WHOLE it looks at all. One program is linked, which the
# whole library is in; to link each takes longer than all the rest. FreeBSD has one package of its
# own. A release looks at all of each platform.
ON     ?= $(filter-out freebsd/amd64,$(PLATFORMS))
WHOLE  ?= windows/amd64
PORTS  := (linux|darwin|windows|freebsd|unix|js|wasm|amd64|arm64|386)\b
system  = $(sort $(call tagged,$(PORTS),$(1)) $(call matching,"(syscall|golang.org/x/sys/.*)",$(1)))

cross: ## build and vet for the other platforms
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(patsubst %,cross/%,$(filter $(WHOLE),$(ON)) $(filter-out $(WHOLE),$(ON)))
	CGO_ENABLED=0 GOOS=freebsd GOARCH=amd64 $(GO) build ./internal/osthread

cross/%:
	@set -e; p='$*'; echo "build and vet $$p"; \
		export CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/}; \
		$(GO) build -o /dev/null ./stress/soak; \
		case ' $(WHOLE) ' in \
		*" $$p "*) for dir in . $(EXAMPLES); do \
			$(GO) -C $$dir build $$($(GO) -C $$dir list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./...); \
			$(GO) -C $$dir vet ./...; done; \
			for dir in $(READERS); do $(GO) -C $$dir vet ./...; done;; \
		*) $(GO) vet $(call system); $(GO) -C $(EXAMPLES) vet $(call system,$(EXAMPLES));; \
		esac

test-compared: ## vet and test the comparison of databases, which takes minutes to compile
	@set -e; for dir in $(COMPARED); do $(GO) -C "$$dir" vet ./...; $(GO) -C "$$dir" test $(LONG) ./...; done

# Many of their tests wait: for a server, a browser, a process. Two modules at a time fill that.
nested: ## test every nested module, in short form but for the examples and what reads the source, or one by make nested/farm; vet looks at them
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(NESTED:%=nested/%)

nested/%:
	@echo "nested module $*"; $(GO) -C "$*" test $(UNVETTED_SPARE) $(call AFRESH,$*) $(if $(filter $(EXAMPLES) $(READERS),$*),$(LONG)) ./...

# What needs minutes each time and hardly ever tells a change more than CI does. The rest of a
# release, make model-long and make soak, takes as many hours as one gives it.
release: test-releases nested-long zoo soak-assets soak-farm ## what a release must pass and a change need not
	$(MAKE) soak-frame FRAMES=5000
	$(MAKE) test-nolinkname PARKING=./taskgraph/...
	$(MAKE) cross ON='$(PLATFORMS)' WHOLE='$(PLATFORMS)'
	$(MAKE) commands
	$(MAKE) explore

readme: ## the two commands that README begins with, in a fresh clone of the last commit
	@.ci/readme

# Each of these fails only for a bug, whatever is drawn. Whoever runs it each night finds those that
# the seeds of CI never show; a failure prints how to see it again.
explore: export HEDDLE_SEED := $(or $(if $(FIXED),,$(SEED)),$(shell od -An -N3 -tu4 /dev/urandom | tr -d ' '))
explore: ## what CI draws from a fixed seed, drawn from another one: SEED=n to repeat a run, or each time another one; for each night and each release
	@echo "explore: SEED=$(HEDDLE_SEED)"
	$(GO) test -count=1 ./...
	@$(MAKE) --no-print-directory SEED=$(HEDDLE_SEED) model model-race zoo-sample mutants-sample fuzz
	$(GO) run ./stress/soak -seed $(HEDDLE_SEED) -rounds 2000 -chaos all

bare: ## .ci/run in a bare Debian, as root, once for each release: STEPS='test-long nested' DIR=folder KEEP=1
	@DIR='$(DIR)' KEEP='$(KEEP)' RELEASE='$(RELEASE)' STEPS='$(STEPS)' .ci/bare

commands: ## run every command that a page prints, in a fresh clone: some of them by MATCH=regexp; STATE=file keeps what has passed
	$(GO) -C internal/dev/archtest run ./commands $(if $(MATCH),-only '$(MATCH)') $(if $(STATE),-state '$(abspath $(STATE))')

bench: ## benchmarks: BENCH=regexp PKG=./lockfree BENCHTIME=1s
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem $(PKG)
	$(if $(filter file,$(origin PKG)),$(GO) -C $(EXAMPLES) test -run '^$$' -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem ./...)

# The C++ peers: auto, off or require.
CPP ?= auto

bench-quick: ## every row of bench once, small: does it run, count and validate? CPP=require for the C++ peers
	$(GO) -C bench run . -quick -cpp $(CPP)

# In bench-compare, PKG is all packages with benchmarks unless it is given.
bench-compare: ## benchstat of a revision and the working tree, by turns: OLD=rev PKG=./lockfree BENCH=regexp COUNT=10
	@OLD='$(OLD)' PKG='$(if $(filter file,$(origin PKG)),,$(PKG))' BENCH='$(BENCH)' BENCHTIME='$(BENCHTIME)' GO='$(GO)' $(if $(COUNT),COUNT='$(COUNT)') .ci/bench-compare

count: ## the atomic operations that a task takes, and their budgets
	$(GO) test -count=1 -tags heddle_count -run '^TestCounted' -v ./internal/atomics ./taskgraph

cover: ## how much of the library tests, models and soak run: STEP=tests, STEP=soak, STEP=models RUN=^lockfree, or none to add up; LIST=lockfree
	$(GO) run ./stress/cover $(if $(STEP),-step $(STEP)) $(if $(filter file,$(origin RUN)),,-run '$(RUN)') $(if $(LIST),-list $(LIST))

# docs/verification.md is made of records, which only the runs write. Each target below makes some
# and takes a few minutes; RUN and ONLY divide what takes longer.
VERIFY = $(GO) run ./stress/verification
RUN    ?= .
ONLY   ?= .
TESTED ?= test

verification: ## write docs/verification.md from the records in docs/verification
	$(VERIFY)

record-models: ## explore and record: RUN=^lockfree/ EXECUTIONS=50000
	@mkdir -p bin
	$(GO) run ./stress/model -run '$(RUN)' -executions $(or $(EXECUTIONS),50000) $(DRAWN) -json >bin/models.json
	$(VERIFY) -model bin/models.json

record-race: ## the same with the race detector as judge, and a tenth of it
	@mkdir -p bin
	$(GO) run ./stress/model -race -run '$(RUN)' -executions $(or $(EXECUTIONS),5000) $(DRAWN) -json >bin/race.json
	$(VERIFY) -model bin/race.json

record-long: model-long ## make model-long, and record what it has come to
	$(VERIFY) -long bin/model-long.state

record-zoo: ## find specimens and record: ONLY=^Queue/
	@mkdir -p bin
	$(GO) run ./stress/zoo -only '$(ONLY)' -json >bin/zoo.json
	$(VERIFY) -zoo bin/zoo.json

record-native: ## record how often the ordinary tests pass with specimens in the code: ONLY=^Queue/ COUNT=20
	@mkdir -p bin
	$(GO) run ./stress/zoo -native -count $(or $(COUNT),20) -only '$(ONLY)' -json >bin/native.json || [ -s bin/native.json ]
	$(VERIFY) -zoo bin/native.json

record-mutants: ## record what bin/mutants.state knows
	@mkdir -p bin
	$(MUTANTS) -n 0 -state $(or $(STATE),bin/mutants.state) -json >bin/mutants.json || [ -s bin/mutants.json ]
	$(VERIFY) -mutants bin/mutants.json

record-cover: ## record what make cover has measured
	$(GO) run ./stress/cover -json >bin/cover.json
	$(VERIFY) -cover bin/cover.json

record-soak: soak ## make soak, and record what it has come to
	$(VERIFY) $(foreach kind,plain nopreempt chaos race delays,-soak bin/soak-$(kind).state)

# The port that a target is about, where it is not this one.
PORT_test-386 := linux/386
PORT_test-arm64 := linux/arm64
PORT_test-wasm := js/wasm
PORT_test-windows := windows/amd64

# What the name of a target does not say.
WITH_test-releases = RELEASES=$(filter-out $(shell $(GO) env GOVERSION),$(RELEASES))

record-passed: ## run make TESTED=test-386 and record that it passed
	$(MAKE) $(TESTED)
	$(VERIFY) $(if $(PORT_$(TESTED)),-port $(PORT_$(TESTED))) -passed 'make $(strip $(TESTED) $(WITH_$(TESTED)))'
