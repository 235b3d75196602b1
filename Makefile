# Writ is built with Go, make and git. Tools that make needs are built into .bin/
# from .tools/, each pinned by a modfile of its own, apart from the product's
# module graph. Nothing is installed outside of this checkout.

GO       ?= go
BIN      := .bin
POLICIES := rego/policy

# The race detector needs a C compiler; without one the tests run all the same.
RACE ?= $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race)

# build_tool NAME,PACKAGE: rebuilt only when its modfile changed.
build_tool = $(GO) build -modfile=.tools/$(1).mod -o $@ $(2)

.DEFAULT_GOAL := help

.PHONY: help
help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## Building

.PHONY: build
build: ## Build the service to .bin/writ
	$(GO) build -trimpath -o $(BIN)/writ ./cmd/writ

.PHONY: run
run: build ## Build, serve, ask four sample calls (ONCE=1 stops then; CATALOG= POLICY= DATA= LISTEN=)
	$(BIN)/writ demo $(strip $(if $(ONCE),--once) $(if $(CATALOG),--catalog $(CATALOG)) \
		$(if $(POLICY),--policy $(POLICY)) $(if $(DATA),--data $(DATA)) $(if $(LISTEN),--listen $(LISTEN)))

.PHONY: generate
generate: $(BIN)/buf $(BIN)/protoc-gen-go $(BIN)/protoc-gen-go-grpc ## Write the Go code of proto/
	$(BIN)/buf generate --template .tools/buf.gen.yaml

## Proving

.PHONY: test
test: build $(BIN)/fsck ## All tests, and the tests of the default policy
	$(if $(RACE),,@echo "no C compiler: testing without the race detector")
	$(GO) test $(RACE) -timeout 15m ./...
	$(BIN)/writ policy test $(POLICIES)

.PHONY: soak
soak: ## Every fuzz target for FUZZTIME (1m each), then every TestSoak for SOAKTIME (10m)
	GO=$(GO) .ci/soak

.PHONY: bench
bench: build $(BIN)/ghz ## Load the service beside its own health check; fails below the gates (BENCHFLAGS=)
	$(GO) run ./bench $(BENCHFLAGS)

.PHONY: bench-peers
bench-peers: build $(BIN)/opa ## Decide beside OPA's own server: same rules, calls, machine and run (BENCHFLAGS=)
	$(GO) run ./bench -peers $(BENCHFLAGS)

.PHONY: bench-gate
bench-gate: build $(BIN)/benchstat ## Against another commit, by turns: REF=HEAD~5; fails on what got worse beyond noise (BENCHFLAGS=)
	$(if $(REF),,$(error say what to compare with: make bench-gate REF=HEAD~5))
	$(GO) run ./bench -against $(REF) $(BENCHFLAGS)

.PHONY: lint
lint: lint-go lint-proto lint-policy lint-modules ## Everything that can be said without running the code

.PHONY: lint-go
lint-go: $(BIN)/golangci-lint
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not gofmt-ed (run gofmt -w):"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(BIN)/golangci-lint run ./...

.PHONY: lint-proto
lint-proto: $(BIN)/buf $(BIN)/protoc-gen-go $(BIN)/protoc-gen-go-grpc
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	BUF=$(BIN)/buf .ci/generated

.PHONY: lint-policy
lint-policy: $(BIN)/opa
	$(BIN)/opa fmt --list --fail $(POLICIES)
	$(BIN)/opa check --strict $(POLICIES)
	$(BIN)/opa test --coverage --threshold 100 $(POLICIES) >$(BIN)/coverage.json || { $(BIN)/opa test -v $(POLICIES); cat $(BIN)/coverage.json; exit 1; }

.PHONY: lint-modules
lint-modules:
	$(GO) mod verify
	$(GO) mod tidy -diff

.PHONY: vuln
vuln: $(BIN)/govulncheck ## Known vulnerabilities in what is linked (needs the database; GOVULNDB= names another)
	BIN=$(BIN) .ci/vuln

.PHONY: breaking
breaking: $(BIN)/buf ## Compare proto/ with the newest release
	@tag=$$(git tag --list 'v[0-9]*' --sort=-v:refname | head -n 1); \
	if test -z "$$tag"; then echo "no release is tagged yet: nothing to compare with"; exit 0; fi; \
	echo "against $$tag"; $(BIN)/buf breaking --against ".git#tag=$$tag"

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(BIN)

## Tools

.PHONY: tools
tools: $(addprefix $(BIN)/,buf protoc-gen-go protoc-gen-go-grpc ghz opa golangci-lint govulncheck benchstat fsck) ## Build all pinned tools now

$(BIN)/buf: .tools/buf.mod
	$(call build_tool,buf,github.com/bufbuild/buf/cmd/buf)

$(BIN)/protoc-gen-go: .tools/proto.mod
	$(call build_tool,proto,google.golang.org/protobuf/cmd/protoc-gen-go)

$(BIN)/protoc-gen-go-grpc: .tools/proto.mod
	$(call build_tool,proto,google.golang.org/grpc/cmd/protoc-gen-go-grpc)

$(BIN)/ghz: .tools/ghz.mod
	$(call build_tool,ghz,github.com/bojand/ghz/cmd/ghz)

$(BIN)/opa: .tools/opa.mod
	$(call build_tool,opa,github.com/open-policy-agent/opa)

$(BIN)/golangci-lint: .tools/lint.mod
	$(call build_tool,lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)

$(BIN)/govulncheck: .tools/vuln.mod
	$(call build_tool,vuln,golang.org/x/vuln/cmd/govulncheck)

$(BIN)/benchstat: .tools/bench.mod
	$(call build_tool,bench,golang.org/x/perf/cmd/benchstat)

$(BIN)/fsck: .tools/tessera.mod
	$(call build_tool,tessera,github.com/transparency-dev/tessera/cmd/fsck)
