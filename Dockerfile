# Two images from one build: "bridge", and "services", the sample services. Each holds one static program and nothing else.
#
#   docker build --target bridge -t mcpgrpc/bridge .
#
# VERSION and REVISION become labels. VERSION, where it is given, has to be the version that the program reports, which the
# build takes from git: --build-arg VERSION=v1.2.3 --build-arg REVISION=$(git rev-parse HEAD).

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# Without git, or where .git only points elsewhere as in a worktree, the version is not known and the program says "devel".
RUN git rev-parse HEAD >/dev/null 2>&1 || export GOFLAGS=-buildvcs=false; \
    CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/ ./cmd/bridge ./services/serve
ARG VERSION=devel
RUN case "$VERSION" in devel) ;; *) /out/bridge version | grep -F "bridge $VERSION ";; esac

FROM scratch AS static
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY LICENSE /LICENSE
USER 65532:65532
ARG VERSION=devel
ARG REVISION=unknown
LABEL org.opencontainers.image.source="https://github.com/mcpgrpc/bridge" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"

FROM static AS services
COPY --from=build /out/serve /serve
EXPOSE 50051
LABEL org.opencontainers.image.title="bridge sample services" \
      org.opencontainers.image.description="Sample gRPC services to try bridge with: library, echo, conformance"
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/serve", "health"]
ENTRYPOINT ["/serve"]

# The last stage is what is built where no target is named.
FROM static AS bridge
COPY --from=build /out/bridge /bridge
EXPOSE 8080
LABEL org.opencontainers.image.title="bridge" \
      org.opencontainers.image.description="Offers running gRPC services as tools of the Model Context Protocol" \
      io.modelcontextprotocol.server.name="io.github.mcpgrpc/bridge"
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/bridge", "health"]
ENTRYPOINT ["/bridge"]
CMD ["--help"]
