package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/mcpgrpc/bridge/bridge"
)

// Readiness says which backends have to be there for a bridge to be ready. A bridge that drains is never ready.
type Readiness string

const (
	// ReadinessAny is the default: at least one.
	ReadinessAny Readiness = "any"
	// ReadinessAll is all of them.
	ReadinessAll Readiness = "all"
	// ReadinessNone is none: the bridge is ready as long as it takes calls.
	ReadinessNone Readiness = "none"
)

// Bridge is what a Handler tells of; *bridge.Bridge is one.
type Bridge interface {
	// Health says how the backends are, within ctx.
	Health(ctx context.Context) bridge.Health
}

// Config says what a Handler shows.
type Config struct {
	// Bridge is needed.
	Bridge Bridge
	// Readiness is the policy of /readyz and of the gRPC health service. Default: ReadinessAny.
	Readiness Readiness
	// Metrics serves /metrics. Default: that there are none, with status 404.
	Metrics http.Handler
	// Logger is told why a bridge is not ready and why a backend is down, once for each reason, and when that is over. What
	// is told is what was found when somebody asked. Default: nobody.
	Logger *slog.Logger
}

// Handler serves
//
//   - /healthz: 200 as long as the process answers,
//   - /readyz: 200 or 503, and {"ready":true,"backends":[{"name":"library","up":true}]} in the order of the configuration; reasons
//     may name hosts, and go to the log alone,
//   - /metrics: what Config.Metrics says,
//   - grpc.health.v1.Health, where the server around it takes HTTP/2 without TLS: the service "" is the bridge as /readyz has it,
//     and each backend is one by its name.
//
// All but gRPC takes GET and HEAD alone. It is safe for concurrent use.
type Handler struct {
	config   Config
	readings readings
	grpc     *grpc.Server
}

// New makes a handler. An unknown policy, and a Bridge that is missing, are errors. Close it when its server ends.
func New(c Config) (*Handler, error) {
	if c.Bridge == nil {
		return nil, errors.New("admin: no Bridge: set the one to tell of")
	}
	switch c.Readiness {
	case "":
		c.Readiness = ReadinessAny
	case ReadinessAny, ReadinessAll, ReadinessNone:
	default:
		return nil, fmt.Errorf("admin: unknown readiness %q: use %q, %q or %q", c.Readiness, ReadinessAny, ReadinessAll, ReadinessNone)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Handler{
		config:   c,
		readings: readings{bridge: c.Bridge, policy: c.Readiness, logger: c.Logger},
		grpc:     grpc.NewServer(grpc.MaxRecvMsgSize(maxQuestion), grpc.WaitForHandlers(true)),
	}
	grpc_health_v1.RegisterHealthServer(h.grpc, &healthService{readings: &h.readings})
	return h, nil
}

// Close ends the gRPC streams that wait for changes, which would keep the server around the handler from ending, and takes
// no new ones. It is safe to call twice.
func (h *Handler) Close() { h.grpc.Stop() }

// ServeHTTP serves one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		h.grpc.ServeHTTP(w, r)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(answerTimeout))  // a body is of no interest, and could take for ever
	_ = control.SetWriteDeadline(time.Now().Add(answerTimeout)) // else the connection is lost already
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	page := h.page(r.URL.Path)
	if page == nil {
		http.Error(w, "not found: there are /healthz, /readyz and /metrics", http.StatusNotFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	page(w, r)
}

const (
	// answerTimeout bounds the reading of a request and the writing of its answer.
	answerTimeout = 10 * time.Second
	// maxQuestion is the largest message of a client of the gRPC health service, in bytes; it holds one name.
	maxQuestion = 4 << 10
)

// page returns what is at a path; nil where nothing is.
func (h *Handler) page(path string) http.HandlerFunc {
	switch path {
	case "/healthz":
		return live
	case "/readyz":
		return h.ready
	case "/metrics":
		return h.metrics
	}
	return nil
}

func live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok")
}

// Report is the body of /readyz.
type Report struct {
	// Ready says whether the bridge is to be sent calls.
	Ready bool `json:"ready"`
	// Backends are in the order of the configuration.
	Backends []BackendReport `json:"backends"`
}

// BackendReport is how one backend is.
type BackendReport struct {
	// Name is that of the backend.
	Name string `json:"name"`
	// Up says that calls of it are likely to get through.
	Up bool `json:"up"`
}

func (h *Handler) ready(w http.ResponseWriter, r *http.Request) {
	report := h.readings.read(r.Context())
	body, err := json.Marshal(report)
	if err != nil {
		http.Error(w, "the report cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !report.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	fmt.Fprintf(w, "%s\n", body)
}

func (h *Handler) metrics(w http.ResponseWriter, r *http.Request) {
	if h.config.Metrics == nil {
		http.Error(w, "there are no metrics here", http.StatusNotFound)
		return
	}
	h.config.Metrics.ServeHTTP(w, r)
}
