package telemetry

import (
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// seriesKey is what requests have in common, or tasks, whose durations are counted together, and whose spans begin alike.
type seriesKey struct {
	task                                 bool // and then there is a tool and nothing else
	method, tool, prompt, version        string
	transport, protocol, protocolVersion string
}

// key returns the series of a request, of which nothing is the client's to choose freely.
func (r *Request) key() seriesKey {
	k := seriesKey{method: r.Method, version: r.Version, transport: r.Transport, protocol: r.Protocol}
	if k.method == "" {
		k.method = other
	}
	if r.Known {
		k.tool, k.prompt = r.Tool, r.Prompt
	}
	switch r.ProtocolVersion {
	case "1.0", "1.1", "2", "3":
		k.protocolVersion = r.ProtocolVersion
	}
	return k
}

// series is what is made once for all requests with one key.
type series struct {
	name     string                  // of the span
	start    []trace.SpanStartOption // of the span
	common   []attribute.KeyValue    // of the span and the duration
	active   []metric.AddOption
	ok       []metric.RecordOption // of the duration of a request that went well
	failures cache[string, []metric.RecordOption]
}

// seriesOf returns the series with a key.
func (t *Telemetry) seriesOf(k seriesKey) *series { return t.series.get(k, newSeries) }

// newSeries makes the series with a key.
func newSeries(k seriesKey) *series {
	s := &series{name: k.method, common: k.attributes()}
	kind, active := trace.SpanKindServer, keyMethod.String(k.method)
	if k.task {
		s.name, kind, active = nameTask, trace.SpanKindInternal, keyTool.String(k.tool)
	}
	if target := k.tool + k.prompt; target != "" { // there is but one of them
		s.name += " " + target
	}
	s.start = []trace.SpanStartOption{trace.WithSpanKind(kind), trace.WithAttributes(s.common...)}
	s.active = []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(active))}
	s.ok = []metric.RecordOption{metric.WithAttributes(s.common...)}
	return s
}

// record returns the options with which the duration of a request is recorded that ended with an error.type, "" for none,
// and code, 0 for none.
func (s *series) record(errorType string, code int) []metric.RecordOption {
	if errorType == "" {
		return s.ok
	}
	return s.failures.get(errorType, func(errorType string) []metric.RecordOption {
		attributes := slices.Concat(s.common, []attribute.KeyValue{keyErrorType.String(errorType)})
		if code != 0 && errorType != errorCancelled {
			attributes = append(attributes, keyStatusCode.String(errorType))
		}
		return []metric.RecordOption{metric.WithAttributes(attributes...)}
	})
}

// attributes returns those of a key, in the order of the reference.
func (k *seriesKey) attributes() []attribute.KeyValue {
	if k.task {
		return []attribute.KeyValue{keyTool.String(k.tool)}
	}
	out := []attribute.KeyValue{keyMethod.String(k.method)}
	if k.method == methodCall {
		out = append(out, keyOperation.String(operationTool))
	}
	for _, a := range []struct {
		key   attribute.Key
		value string
	}{
		{keyTool, k.tool},
		{keyPrompt, k.prompt},
		{keyVersion, k.version},
		{keyTransport, k.transport},
		{keyProtocol, k.protocol},
		{keyProtocolVersion, k.protocolVersion},
	} {
		if a.value != "" {
			out = append(out, a.key.String(a.value))
		}
	}
	return out
}

// nameTask begins the name of the span of a task.
const nameTask = "task"

// methodCall is the method of the one operation that the conventions have a name for.
const methodCall = "tools/call"

// maxCached is how many values a cache keeps. A catalog that changes for a long time could have more names than that.
const maxCached = 4096

// cache keeps values that are the same whoever makes them. The zero value is empty. Safe for concurrent use.
type cache[K comparable, V any] struct {
	mu     sync.RWMutex
	values map[K]V
}

// get returns the value of a key, which is made when it is not there. In a full cache it is not kept.
func (c *cache[K, V]) get(key K, create func(K) V) V {
	c.mu.RLock()
	value, ok := c.values[key]
	c.mu.RUnlock()
	if ok {
		return value
	}
	value = create(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.values[key]; ok {
		return kept
	}
	if c.values == nil {
		c.values = map[K]V{}
	}
	if len(c.values) < maxCached {
		c.values[key] = value
	}
	return value
}
