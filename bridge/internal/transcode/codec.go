package transcode

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The limits that hold where [Options] leaves them zero.
const (
	// DefaultMaxDepth is how deeply arguments and results may nest, as in protobuf's own parsers.
	DefaultMaxDepth = 100
	// DefaultMaxResult is the largest result, in bytes of JSON: 1 MiB.
	DefaultMaxResult = 1 << 20
)

// ErrTooLarge is wrapped by the error of [Codec.AppendJSON] when the result exceeds [Options].MaxResult.
var ErrTooLarge = errors.New("result too large")

// ErrReply is wrapped by the error of [Codec.AppendJSON] when the bytes are not a message of the method's response type:
// the backend speaks another version of its API than its descriptors do.
var ErrReply = errors.New("unreadable reply")

// Options are the choices of a backend. The zero value is usable.
type Options struct {
	// EmitDefaults writes fields without presence even when they hold their zero value: scalars, lists and maps, never
	// messages and never null.
	EmitDefaults bool
	// MaxDepth bounds the nesting of objects and arrays in both directions; 0 means [DefaultMaxDepth]. Deeper arguments
	// are refused, deeper parts of a result are replaced by an empty object or array.
	MaxDepth int
	// MaxResult bounds the result in bytes of JSON; 0 means [DefaultMaxResult]. Whoever adds to the result what is not its
	// data (see Omit) has to keep to it: [Codec.MaxResult].
	MaxResult int
	// Omit names the direct fields of the response that are left out of its JSON, set or not; further down nothing is. It
	// is asked at each call, from any goroutine. Nil omits nothing.
	Omit func(protoreflect.FieldDescriptor) bool
	// Hide names fields, extensions among them, that clients may not see, at any depth and within an Any. In arguments they
	// are unknown like any other name that there is not, and no error lists or suggests them; results leave them out. It is
	// asked once for each field of a message type that occurs, and for an extension each time, from any goroutine. Nil hides
	// nothing and costs nothing. The bytes of an Any that cannot be read are not hidden; results show them in base64.
	Hide func(protoreflect.FieldDescriptor) bool
	// HideValue names values of enums that clients may not see. In arguments their names are unknown, and no error lists or
	// suggests them; their numbers are taken, as those without a name are. Results show what the backend sent, by name. It is
	// asked each time, from any goroutine. Nil hides nothing.
	HideValue func(protoreflect.EnumValueDescriptor) bool
	// Declined is told of each of the arguments (reply false) and replies that [Codec.Declined] counts, from any goroutine. Nil is
	// nobody.
	Declined func(reply bool)
}

// Resolver finds the types that a message can hold without naming them in its descriptor: the payloads of
// google.protobuf.Any and extensions. It should know the backend's own descriptors and no more. Where it finds a type by a URL that
// ends in the type's full name after the last slash, as protobuf's own resolvers do, it has to find the same for every such URL.
type Resolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// Codec transcodes the calls of one method. It is safe for concurrent use.
type Codec struct {
	input, output protoreflect.MessageDescriptor
	types         Resolver
	opts          Options
	plans         sync.Map            // protoreflect.MessageDescriptor → *plan
	enums         sync.Map            // protoreflect.EnumDescriptor → *enum
	payloads      memo[string, *plan] // by the full name of the type, of those that arguments named

	declinedArguments, declinedReplies atomic.Uint64
}

// Compile makes the codec of a method with the given request and response types. It fails where a type is nil or only a
// placeholder for a descriptor that was never found. With types nil, no Any and no extension is understood.
func Compile(input, output protoreflect.MessageDescriptor, types Resolver, opts Options) (*Codec, error) {
	for _, md := range []protoreflect.MessageDescriptor{input, output} {
		if md == nil {
			return nil, errors.New("a method needs a request and a response type, one is missing")
		}
		if md.IsPlaceholder() {
			return nil, fmt.Errorf("type %s is not among the descriptors; add the file that defines it", md.FullName())
		}
	}
	if types == nil {
		types = new(protoregistry.Types)
	}
	if opts.MaxDepth <= 0 {
		opts.MaxDepth = DefaultMaxDepth
	}
	if opts.MaxResult <= 0 {
		opts.MaxResult = DefaultMaxResult
	}
	return &Codec{input: input, output: output, types: types, opts: opts}, nil
}

// Declined returns how many arguments, and how many replies, had a form that the plans leave to the reference path, which is
// slower and goes by way of a message. What is refused, and replies of which values are replaced, does not count.
func (c *Codec) Declined() (arguments, replies uint64) {
	return c.declinedArguments.Load(), c.declinedReplies.Load()
}

// decline counts what the reference path has done.
func (c *Codec) decline(count *atomic.Uint64, reply bool) {
	count.Add(1)
	if c.opts.Declined != nil {
		c.opts.Declined(reply)
	}
}

// MaxResult is the bound of a result, in bytes of JSON.
func (c *Codec) MaxResult() int { return c.opts.MaxResult }

// Types returns what finds the types that messages of the method can hold without naming them; never nil, if Compile was
// given one.
func (c *Codec) Types() Resolver { return c.types }

// hides reports whether clients may not see an extension.
func (c *Codec) hides(xd protoreflect.FieldDescriptor) bool {
	return c.opts.Hide != nil && c.opts.Hide(xd)
}

// hidesValue reports whether clients may not see a value of an enum.
func (c *Codec) hidesValue(v protoreflect.EnumValueDescriptor) bool {
	return c.opts.HideValue != nil && c.opts.HideValue(v)
}
