package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/redact"
)

// What is planted where it must not be seen, and what where it may.
const (
	secret       = "sesame, open!" // the bytes of which do not run over in base64
	secretNumber = 471147114711
	plain        = "plain"
)

// TestSecretNeverShows plants a secret in fields with debug_redact, and in all below them, of random messages.
func TestSecretNeverShows(t *testing.T) {
	t.Parallel()
	files, types := load(t)
	roots := []protoreflect.MessageDescriptor{find(t, files, "vault.Vault"), find(t, files, "old.Safe")}
	rapid.Check(t, func(t *rapid.T) {
		p := planter{t: t, types: types, vault: roots[0]}
		md := rapid.SampledFrom(roots).Draw(t, "type")
		m := dynamicpb.NewMessage(md)
		p.fill(m, false, 4)
		wire, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := redact.JSON(md, wire, types)
		if err != nil {
			t.Fatal(err)
		}
		again, err := redact.JSON(md, wire, types)
		if err != nil || string(again) != string(got) || !json.Valid(got) {
			t.Fatalf("not the same again, or no JSON: %s", got)
		}
		for _, hidden := range []string{secret, "471147114711", base64.StdEncoding.EncodeToString([]byte(secret))[:12], "CLOSED"} {
			if strings.Contains(string(got), hidden) {
				t.Fatalf("%s shows %q", got, hidden)
			}
		}
	})
}

// planter fills messages.
type planter struct {
	t     *rapid.T
	types redact.Resolver
	vault protoreflect.MessageDescriptor
}

// fill fills some fields of a message, which hides says to be secret as a whole.
func (p planter) fill(m protoreflect.Message, hides bool, depth int) {
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		p.pack(m, hides, depth)
		return
	}
	for _, fd := range p.fields(m.Descriptor()) {
		if skipped(fd) || !rapid.Bool().Draw(p.t, string(fd.Name())) {
			continue
		}
		options, _ := fd.Options().(*descriptorpb.FieldOptions)
		p.set(m, fd, hides || options.GetDebugRedact(), depth)
	}
}

// fields are those of a message and the extensions of it.
func (p planter) fields(md protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	var out []protoreflect.FieldDescriptor
	for i := range md.Fields().Len() {
		out = append(out, md.Fields().Get(i))
	}
	for number := protoreflect.FieldNumber(100); md.FullName() == "old.Safe" && number < 104; number++ {
		xt, err := p.types.FindExtensionByNumber(md.FullName(), number)
		if err != nil {
			p.t.Fatal(err)
		}
		out = append(out, xt.TypeDescriptor())
	}
	return out
}

// skipped are fields of types that are not made at random: a time and a struct have a form of their own in JSON.
func skipped(fd protoreflect.FieldDescriptor) bool { return fd.Name() == "free" || fd.Name() == "time" }

// set gives a field a value.
func (p planter) set(m protoreflect.Message, fd protoreflect.FieldDescriptor, hides bool, depth int) {
	isMessage := fd.Message() != nil
	if isMessage && depth == 0 {
		return
	}
	switch {
	case fd.IsMap():
		key := protoreflect.ValueOfString(plain).MapKey()
		value := m.Mutable(fd).Map().NewValue()
		m.Mutable(fd).Map().Set(key, p.value(fd.MapValue(), value, hides, depth))
	case fd.IsList():
		list := m.Mutable(fd).List()
		for range rapid.IntRange(1, 3).Draw(p.t, "length") {
			list.Append(p.value(fd, list.NewElement(), hides, depth))
		}
	default:
		m.Set(fd, p.value(fd, m.NewField(fd), hides, depth))
	}
}

// value returns a value in the place of one that is empty.
func (p planter) value(fd protoreflect.FieldDescriptor, empty protoreflect.Value, hides bool, depth int) protoreflect.Value {
	text, number := plain, int64(1)
	if hides {
		text, number = secret, secretNumber
	}
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text)
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(text))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(number)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.IntRange(0, 3).Draw(p.t, "enum")))
	default:
		p.fill(empty.Message(), hides, depth-1)
		return empty
	}
}

// pack puts a message into an Any, of a type that is known or not, in which case all of it is secret.
func (p planter) pack(m protoreflect.Message, hides bool, depth int) {
	known := rapid.Bool().Draw(p.t, "known")
	inner := dynamicpb.NewMessage(p.vault)
	p.fill(inner, hides || !known, max(0, depth-1))
	wire, err := proto.Marshal(inner)
	if err != nil {
		p.t.Fatal(err)
	}
	url := "x/vault.Vault"
	if !known {
		url = "x/no.Such"
	}
	m.Set(m.Descriptor().Fields().ByName("type_url"), protoreflect.ValueOfString(url))
	m.Set(m.Descriptor().Fields().ByName("value"), protoreflect.ValueOfBytes(wire))
}

// FuzzJSON: whatever the bytes are, nothing panics, and what comes out is JSON.
func FuzzJSON(f *testing.F) {
	files, types := load(f)
	roots := []protoreflect.MessageDescriptor{find(f, files, "vault.Vault"), find(f, files, "old.Safe")}
	f.Add([]byte("\x0a\x01a\x12\x06secret"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		for _, md := range roots {
			if got, err := redact.JSON(md, wire, types); err == nil && !json.Valid(got) {
				t.Errorf("%x: %s", wire, got)
			}
		}
	})
}
