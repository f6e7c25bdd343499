package transcode_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// FuzzArguments wants arguments to be refused with an error fit to show, or to mean what protojson and the reference path say
// they mean and to survive the way back.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"singleInt64":9007199254740993,"single_uint64":"1e3","singleDouble":"NaN","singleBytes":"-_8"}`,
		`{"child":"{\"children\":\"[{}]\"}","repeatedColor":["color_red",2,"COLOR_CRIMSON"],"fieldMask":["a_b","*"]}`,
		`{"any":{"@type":"x/google.protobuf.Any","value":{"@type":"x/echo.v1.Nested","id":1}},"struct":{"a":[null,true,{}]}}`,
		`{"timestamp":"2026-01-31T10:30:00.5+01:00","duration":"-.5s","value":null,"nullValue":null,"choiceNull":null}`,
		`{"mapInt32String":{"01":"a","-0":"b"},"mapBoolString":{"true":""},"wrappedInt64":1.0,"singlefloat":1e39}`,
		`{"choiceString":"a","choiceInt64":1}`, `{"singleString":"\ud83d\ude00\ud800"}`, `{"x":1,"x":1}`, `[[[[`, `{"value":[[[[1e999]]]]}`,
	} {
		f.Add([]byte(seed))
	}
	md, types := everything(f)
	c := compile(f, md, types, transcode.Options{})
	f.Fuzz(func(t *testing.T, arguments []byte) {
		agree(t, c, md, types, string(arguments))
		bothWays(t, c, md, types, string(arguments))
		wire, err := c.AppendWire(nil, arguments)
		if err != nil {
			if fault := new(transcode.ArgumentError); !errors.As(err, &fault) || fault.Reason == "" || !utf8.ValidString(err.Error()) {
				t.Fatalf("error %T %q is not fit to show", err, err)
			}
			return
		}
		out, warnings, err := c.AppendJSON(nil, wire)
		if err != nil || !jsontext.Value(out).IsValid() {
			t.Fatalf("%s came back as %s, %v", arguments, out, err)
		}
		if warnings != nil { // a field mask that only this codec accepts
			return
		}
		again, err := c.AppendWire(nil, out)
		if err != nil {
			t.Fatalf("%s came back as %s, which is refused: %v", arguments, out, err)
		}
		sameWire(t, md, types, again, wire)
	})
}

// FuzzReply wants any wire bytes to be refused, or to become strict JSON: protojson's where that has an opinion.
func FuzzReply(f *testing.F) {
	md, types := everything(f)
	for _, hostile := range []bool{false, true} {
		messages := maker{types: types, payloads: payloads, hostile: hostile}.messages(md)
		for seed := range 10 {
			f.Add(wireOf(f, messages.Example(seed)))
		}
	}
	f.Add([]byte(field(14, "a\xffb") + field(102, field(1, field(1, "\xff"), field(2)))))
	f.Add([]byte(field(106, field(1, "x/echo.v1.Everything"), field(2, field(14, "\xff")))))
	f.Add([]byte("\x72\x7f"))
	c := compile(f, md, types, transcode.Options{EmitDefaults: true})
	f.Fuzz(func(t *testing.T, wire []byte) {
		sameReply(t, c, wire)
		out, warnings, err := c.AppendJSON(nil, wire)
		m := dynamicpb.NewMessage(md)
		parsed := parse(wire, m, types)
		if err != nil {
			if parsed && !errors.Is(err, transcode.ErrTooLarge) {
				t.Fatalf("protobuf reads this, the codec says %v", err)
			}
			return
		}
		if !jsontext.Value(out).IsValid() {
			t.Fatalf("not strict JSON: %s", out)
		}
		if len(warnings) > 0 || !parsed {
			return
		}
		if want, err := oracle(m, types, true); err != nil || string(out) != want {
			t.Fatalf("result\n%s, want (error %v)\n%s", out, err, want)
		}
	})
}

// parse reports whether protobuf reads wire into m; it panics on some malformed maps.
func parse(wire []byte, m proto.Message, types transcode.Resolver) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return proto.UnmarshalOptions{Resolver: types}.Unmarshal(wire, m) == nil
}
