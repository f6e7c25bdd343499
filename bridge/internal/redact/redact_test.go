package redact_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/redact"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	files, types := load(t)
	for name, c := range map[string]struct{ message, text, want string }{
		"nothing": {"vault.Vault", ``, `{}`},
		"nothing secret": {
			"vault.Vault", `name:"a" open_codes:["x","y"] time:{seconds:1}`,
			`{"name":"a","time":"1970-01-01T00:00:01Z","openCodes":["x","y"]}`,
		},
		"string":           {"vault.Vault", `name:"a" password:"secret"`, `{"name":"a","password":"[REDACTED]"}`},
		"optional string":  {"vault.Vault", `note:""`, `{"note":"[REDACTED]"}`},
		"bytes and number": {"vault.Vault", `key:"secret" pin:4711`, `{}`},
		"list and map":     {"vault.Vault", `codes:"secret" tokens:{key:"secret" value:"secret"}`, `{}`},
		"message":          {"vault.Vault", `sealed:{name:"secret"} wrapped:{value:"secret"}`, `{}`},
		"nested": {
			"vault.Vault", `inner:{inner:{password:"secret" name:"a"}} list:{} list:{pin:4711} by_name:{key:"k" value:{password:"secret"}}`,
			`{"inner":{"inner":{"name":"a","password":"[REDACTED]"}},"list":[{},{}],"byName":{"k":{"password":"[REDACTED]"}}}`,
		},
		"oneof, open":   {"vault.Vault", `open_choice:"a"`, `{"openChoice":"a"}`},
		"oneof, string": {"vault.Vault", `shut_choice:"secret"`, `{"shutChoice":"[REDACTED]"}`},
		"oneof, number": {"vault.Vault", `shut_number:4711`, `{}`},
		"enum": {
			"vault.Vault", `grade:CLOSED grades:[OPEN,CLOSED,OPEN,7] grade_by_name:{key:"a" value:CLOSED} grade_by_name:{key:"b" value:OPEN}`,
			`{"grades":["OPEN","OPEN",7],"gradeByName":{"b":"OPEN"}}`,
		},
		"enum list of secrets": {"vault.Vault", `name:"a" grades:[CLOSED]`, `{"name":"a"}`},
		"any": {
			"vault.Vault", `any:{[type.googleapis.com/vault.Vault]:{name:"a" password:"secret" pin:4711}}`,
			`{"any":{"@type":"type.googleapis.com/vault.Vault","name":"a","password":"[REDACTED]"}}`,
		},
		"any in any": {
			"vault.Vault", `any:{[x/vault.Vault]:{any:{[x/vault.Vault]:{key:"secret"}}}}`,
			`{"any":{"@type":"x/vault.Vault","any":{"@type":"x/vault.Vault"}}}`,
		},
		"empty any": {"vault.Vault", `any:{}`, `{"any":{}}`},
		"unknown any": {
			"vault.Vault", `name:"a" any:{type_url:"x/no.Such" value:"secret"} anys:{type_url:"x/no.Such" value:"secret"}`,
			`{"name":"a"}`,
		},
		"list with an unknown any": {
			"vault.Vault", `anys:{[x/vault.Vault]:{name:"a"}} anys:{type_url:"x/no.Such"} any_by_name:{key:"k" value:{type_url:"x/no.Such"}}`, `{}`,
		},
		"any without a type": {"vault.Vault", `any:{value:"secret"}`, `{}`},
		"any that is broken": {"vault.Vault", `any:{type_url:"x/vault.Vault" value:"\xff"}`, `{}`},
		"struct":             {"vault.Vault", `free:{fields:{key:"a" value:{number_value:1}}}`, `{"free":{"a":1}}`},
		"top-level any": {
			"google.protobuf.Any", `[x/vault.Vault]:{password:"secret"}`,
			`{"@type":"x/vault.Vault","password":"[REDACTED]"}`,
		},
		"group": {
			"old.Safe", `Drawer{label:"a" content:"secret"} Hidden{label:"secret"}`,
			`{"drawer":{"label":"a","content":"[REDACTED]"}}`,
		},
		"proto2": {"old.Safe", `password:"secret"`, `{"password":"[REDACTED]"}`},
		"extensions": {
			"old.Safe", `name:"a" [old.open_extra]:"b" [old.shut_extra]:"secret" [old.safe_extra]:{password:"secret"}` +
				` [old.safe_extras]:{Hidden{label:"secret"}}`,
			`{"name":"a","[old.open_extra]":"b","[old.safe_extra]":{"password":"[REDACTED]"},` +
				`"[old.safe_extras]":[{}],"[old.shut_extra]":"[REDACTED]"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			md := find(t, files, c.message)
			m := dynamicpb.NewMessage(md)
			if err := (prototext.UnmarshalOptions{Resolver: types, AllowPartial: true}).Unmarshal([]byte(c.text), m); err != nil {
				t.Fatal(err)
			}
			wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := redact.JSON(md, wire, types)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

// TestRefuses: what cannot be read or written gives nothing, and the error does not quote it.
func TestRefuses(t *testing.T) {
	t.Parallel()
	files, types := load(t)
	deep := []byte{}
	for range 200 {
		deep = protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), deep)
	}
	nested := []byte{} // in payloads, each of which begins to count anew
	for range 60 {
		inner := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "x/vault.Vault")
		inner = protowire.AppendBytes(protowire.AppendTag(inner, 2, protowire.BytesType), nested)
		nested = protowire.AppendBytes(protowire.AppendTag(nil, 14, protowire.BytesType), inner)
	}
	for name, c := range map[string]struct {
		message string
		wire    []byte
	}{
		"cut":              {"vault.Vault", []byte("\x0a\x09secret")},
		"not UTF-8":        {"vault.Vault", []byte("\x0a\x07secret\xff")},
		"too deep":         {"vault.Vault", deep},
		"no such time":     {"google.protobuf.Timestamp", []byte{0x10, 0xff, 0xff, 0xff, 0xff, 0x07}},
		"any of no type":   {"google.protobuf.Any", []byte("\x12\x06secret")},
		"any not known":    {"google.protobuf.Any", []byte("\x0a\x09no.Secret")},
		"value of nothing": {"google.protobuf.Value", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := redact.JSON(find(t, files, c.message), c.wire, types)
			if got != nil || err == nil || strings.Contains(strings.ToLower(err.Error()), "secret") {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	got, err := redact.JSON(find(t, files, "vault.Vault"), nested, types)
	if err == nil && strings.Count(string(got), "@type") >= 60 {
		t.Errorf("60 payloads in one another are read: %s", got)
	}
}

// TestUnknown: what no descriptor tells of is not written.
func TestUnknown(t *testing.T) {
	t.Parallel()
	files, types := load(t)
	wire := []byte("\x0a\x01a\xfa\x07\x06secret") // field 127
	if got, err := redact.JSON(find(t, files, "vault.Vault"), wire, types); err != nil || string(got) != `{"name":"a"}` {
		t.Errorf("an unknown field: %s, %v", got, err)
	}
	wire = []byte("\x0a\x01a\xa2\x06\x06secret") // extension 100
	if got, err := redact.JSON(find(t, files, "old.Safe"), wire, nil); err != nil || string(got) != `{"name":"a"}` {
		t.Errorf("an unknown extension: %s, %v", got, err)
	}
}
