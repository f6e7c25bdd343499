package backend

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
)

// Limits of the details of one status. Backends are not hostile by trade, but a detail may carry what a user wrote.
const (
	maxDetails     = 32       // details looked at
	maxDetailBytes = 16 << 10 // of one detail on the wire
	maxDetailJSON  = 4 << 10  // of one detail in JSON
	maxDetailDepth = 100      // of nested messages
)

// Detail is one decoded detail of a status.
type Detail struct {
	// Type is the full name of its message, such as "google.rpc.BadRequest".
	Type string
	// JSON is the message in compact ProtoJSON; nil when it is too large or holds something that cannot be decoded.
	JSON []byte
	// Lines are the detail in words; nil for types whose meaning is not known here, which are shown as JSON.
	Lines []string
}

// lines returns what is shown of a detail.
func (d *Detail) lines() []string {
	if d.Lines == nil && len(d.JSON) > 0 {
		return []string{d.Type + ": " + string(d.JSON)}
	}
	return d.Lines
}

// details collects what is learned from the details of one status.
type details struct {
	list       []Detail
	said       string // the message of the status, which lines need not repeat
	retryAfter time.Duration
	invited    bool // a RetryInfo was present
	leftOut    bool // something exceeded a limit
}

// decodeDetails decodes the google.rpc details and those that types can resolve, of a status that says message. The rest
// is dropped, and so are DebugInfo (stack traces are the backend's own business) and whatever exceeds the limits.
func decodeDetails(anys []*anypb.Any, message string, types Resolver) *details {
	d := &details{said: message, leftOut: len(anys) > maxDetails}
	resolver := shy{types}
	for _, a := range anys[:min(len(anys), maxDetails)] {
		name := typeName(a.GetTypeUrl())
		switch {
		case secret(name), name == inputRequiredName:
		case len(a.GetValue()) > maxDetailBytes:
			d.leftOut = true
		case !d.known(name, a.GetValue(), resolver):
			d.foreign(name, a.GetValue(), resolver)
		}
	}
	return d
}

// foreign adds a detail of a type that only the backend's descriptors know.
func (d *details) foreign(name protoreflect.FullName, value []byte, types Resolver) {
	mt, err := types.FindMessageByName(name)
	if err != nil {
		return
	}
	m := mt.New().Interface()
	if unmarshal(value, m, types) != nil || !scrub(m.ProtoReflect(), types, 0) {
		return
	}
	text := marshalJSON(m, types)
	switch {
	case len(text) > maxDetailJSON:
		d.leftOut = true
	case text != nil:
		d.list = append(d.list, Detail{Type: string(name), JSON: text})
	}
}

func unmarshal(value []byte, m proto.Message, types Resolver) error {
	return parse(proto.UnmarshalOptions{Resolver: types, RecursionLimit: maxDetailDepth}, value, m)
}

// marshalJSON returns compact ProtoJSON without invisible characters, or nil. It parses the messages in Any values, which
// can panic for the reason that [parse] gives.
func marshalJSON(m proto.Message, types Resolver) (compact []byte) {
	defer func() {
		if recover() != nil {
			compact = nil
		}
	}()
	text, err := protojson.MarshalOptions{Resolver: types}.Marshal(m)
	if err != nil {
		return nil
	}
	value := jsontext.Value(strip(string(text)))
	if err := value.Compact(); err != nil {
		return nil
	}
	return value
}

// shy is a resolver that does not know the types which are never shown, so that none can hide inside another Any.
type shy struct{ types Resolver }

// FindMessageByName finds a message type by its full name.
func (s shy) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	if s.types == nil || secret(name) {
		return nil, protoregistry.NotFound
	}
	return s.types.FindMessageByName(name)
}

// FindMessageByURL finds a message type by the URL in an Any.
func (s shy) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return s.FindMessageByName(typeName(url))
}

// FindExtensionByName finds an extension by its full name.
func (s shy) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	if s.types == nil {
		return nil, protoregistry.NotFound
	}
	return s.types.FindExtensionByName(name)
}

// FindExtensionByNumber finds an extension by the message that it extends and its number.
func (s shy) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	if s.types == nil {
		return nil, protoregistry.NotFound
	}
	return s.types.FindExtensionByNumber(message, number)
}

// secret reports the types that are never shown.
func secret(name protoreflect.FullName) bool { return name == "google.rpc.DebugInfo" }

// typeName returns what follows the last slash of a type URL.
func typeName(url string) protoreflect.FullName {
	return protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:])
}

// plural says how many entries were left out.
func plural(n int, what string) string { return fmt.Sprintf("… and %d more %s", n, what) }
