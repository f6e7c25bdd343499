# Needs Go and npm. What else is used is installed into .bin/, at the versions of this file and of tools/go.mod.

BUF_VERSION := 1.75.0
BUF         := .bin/buf-$(BUF_VERSION)/node_modules/.bin/buf
PLUGINS     := .bin/protoc-gen-go .bin/protoc-gen-go-grpc .bin/protoc-gen-grpc-gateway
GOFUMPT     := .bin/gofumpt
GOLANGCI    := .bin/golangci-lint

# Our own protos: what is generated, linted and held stable.
OURS  := $(wildcard proto/bridge proto/conformance proto/echo proto/library proto/orders)
PATHS := $(foreach dir,$(OURS),--path $(dir))

# Packages with a descriptor set of their own, comments included, beside their Go code.
DESCRIBED := conformance echo library orders

.PHONY: help
help: ## print the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: generate
generate: $(BUF) $(PLUGINS) ## write gen/ and the embedded descriptor sets from proto/
	$(BUF) generate
	$(call describe,services)
	$(call describeconfig,bridge/config)
	cd tools/bench && ../../$(BUF) generate

.PHONY: checkgenerate
checkgenerate: $(BUF) $(PLUGINS) ## fail when what is committed is not what generate would write
	@rm -rf .bin/generated
	@mkdir -p $(addprefix .bin/generated/services/,$(DESCRIBED)) .bin/generated/bridge/config
	$(BUF) generate --output .bin/generated
	cd tools/bench && ../../$(BUF) generate --output ../../.bin/generated/bench
	$(call describe,.bin/generated/services)
	$(call describeconfig,.bin/generated/bridge/config)
	diff -r gen .bin/generated/gen
	diff -r tools/bench/gen .bin/generated/bench/gen
	$(foreach name,$(DESCRIBED),cmp services/$(name)/$(name).binpb .bin/generated/services/$(name)/$(name).binpb &&) true
	cmp bridge/config/config.binpb .bin/generated/bridge/config/config.binpb
	@rm -rf .bin/generated

.PHONY: buf
buf: $(BUF) ## check the protos: format, lint, breaking changes against proto/baseline.binpb
	$(BUF) format --diff --exit-code proto $(PATHS)
	$(BUF) lint
	cd tools/bench && ../../$(BUF) format --diff --exit-code proto && ../../$(BUF) lint
	$(BUF) build proto $(PATHS) --output .bin/current.binpb
	$(BUF) breaking .bin/current.binpb --against proto/baseline.binpb --exclude-imports

.PHONY: baseline
baseline: $(BUF) ## renew proto/baseline.binpb, on purpose: what breaks after this is no longer seen
	$(BUF) build proto $(PATHS) --exclude-source-info --output proto/baseline.binpb

.PHONY: test
test: ## run the tests that need Go alone
	go test ./...

.PHONY: bench
bench: ## measure calls beside direct gRPC, grpc-gateway and the Go SDK, some minutes; BENCH="-o table.md", "-short", "-help"
	@cd tools/bench && go run . $(BENCH)

.PHONY: benchtelemetry
benchtelemetry: ## measure what telemetry costs a call within one process, in CPU time, as ratios to none; a minute or two
	go test -run '^$$' -bench Telemetry ./cmd/bridge

.PHONY: conformance
conformance: .bin/conformance/installed ## run the MCP conformance suite against bridge serve; SETS="2026-07-28 ..." for a part of it
	tools/conformance/run $(SETS)

.PHONY: clients
clients: .bin/clients/installed ## have the official TypeScript clients, 1.x and 2.x, call tools, answer questions, and compile schemas
	tools/clients/run

.PHONY: jaeger
jaeger: .bin/jaeger ## build Jaeger, from which tests read their traces back; some minutes
	@true

.PHONY: compose
compose: .bin/jaeger ## run docker-compose.yml in a Docker engine of its own; needs root on Debian
	tools/compose/run

.PHONY: lint
lint: $(GOFUMPT) $(GOLANGCI) ## check the Go code: gofumpt, golangci-lint with go vet and staticcheck
	@files=$$(git ls-files --cached --others --exclude-standard '*.go' | grep -vE '^(tools/bench/)?gen/' | xargs $(GOFUMPT) -l); \
	if [ -n "$$files" ]; then printf 'not formatted, run %s -w on:\n%s\n' '$(GOFUMPT)' "$$files" >&2; exit 1; fi
	$(GOLANGCI) run ./...
	cd tools/bench && ../../$(GOLANGCI) run ./...

# describe writes the descriptor set of each of DESCRIBED below the directory $(1): self-contained, with comments.
define describe
	$(foreach name,$(DESCRIBED),$(BUF) build proto --path proto/$(name) --as-file-descriptor-set \
		--output $(1)/$(name)/$(name).binpb &&) true
endef

# describeconfig writes that of the configuration to the directory $(1), without the files that are compiled in anyway.
define describeconfig
	$(BUF) build proto --path proto/bridge/config --path proto/bridge/v1 --exclude-imports --as-file-descriptor-set \
		--output $(1)/config.binpb
endef

$(BUF):
	npm install --no-audit --no-fund --no-save --loglevel error --prefix .bin/buf-$(BUF_VERSION) @bufbuild/buf@$(BUF_VERSION)
	@touch -c $@

# Packages of the npm registry, Node included, as the lock file beside their package.json says.
.bin/conformance/installed .bin/clients/installed: .bin/%/installed: tools/%/package.json tools/%/package-lock.json
	@mkdir -p $(@D)
	cp tools/$*/package.json tools/$*/package-lock.json $(@D)
	npm ci --ignore-scripts --no-audit --no-fund --loglevel error --prefix $(@D)
	@touch $@

.bin/protoc-gen-go: PACKAGE := google.golang.org/protobuf/cmd/protoc-gen-go
.bin/protoc-gen-go-grpc: PACKAGE := google.golang.org/grpc/cmd/protoc-gen-go-grpc
.bin/protoc-gen-grpc-gateway: PACKAGE := github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway
.bin/gofumpt: PACKAGE := mvdan.cc/gofumpt

$(PLUGINS) $(GOFUMPT): tools/go.mod tools/go.sum
	cd tools && go build -o ../$@ $(PACKAGE)
	@touch $@

# A module of its own: it would force other versions of shared modules on the rest.
$(GOLANGCI): tools/golangci-lint/go.mod tools/golangci-lint/go.sum
	cd tools/golangci-lint && go build -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

# Of a module of its own, for the same reason.
.bin/jaeger: tools/jaeger/go.mod tools/jaeger/go.sum
	cd tools/jaeger && CGO_ENABLED=0 go build -o ../../$@ github.com/jaegertracing/jaeger/cmd/jaeger
	@touch $@
