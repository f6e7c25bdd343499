package descriptor_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// write puts sources into a directory.
func write(t testing.TB, root string, files sources) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// imageMark encodes the extension that buf gives the files of an image.
func imageMark(isImport bool, commit string) []byte {
	var mark []byte
	mark = protowire.AppendTag(mark, 1, protowire.VarintType)
	mark = protowire.AppendVarint(mark, protowire.EncodeBool(isImport))
	mark = protowire.AppendTag(mark, 2, protowire.BytesType)
	mark = protowire.AppendString(mark, commit)
	return protowire.AppendBytes(protowire.AppendTag(nil, 8042, protowire.BytesType), mark)
}

func TestFileSetReadsEveryForm(t *testing.T) {
	t.Parallel()
	binary := encodedSet(t, compile(t, shop)...)
	text, err := protojson.Marshal(&descriptorpb.FileDescriptorSet{File: compile(t, shop)})
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][]byte{
		"a.binpb": binary, "a.pb": binary, "a.bin": binary, "a.desc": binary, "a": binary,
		"a.json": append([]byte("\n "), text...), "json": text,
	}
	want := mustNew(t, compile(t, shop))
	for name, data := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			set := mustLoad(t, descriptor.FileSet(path))
			wantServices(t, set, "shop.Orders", "shop.Prices")
			wantProblems(t, set)
			if set.Digest() != want.Digest() {
				t.Error("the digest differs from that of the same files given to New")
			}
		})
	}
}

func TestFileSetImageImports(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	byName(t, files, "shop/orders.proto").ProtoReflect().SetUnknown(imageMark(true, "c"))
	byName(t, files, "shop/prices.proto").ProtoReflect().SetUnknown(imageMark(false, "c"))
	image := `{"file":[
		{"name":"dep.proto","syntax":"proto3","service":[{"name":"Dep"}],"bufExtension":{"isImport":true,"moduleInfo":{"commit":"c"}}},
		{"name":"old.proto","syntax":"proto3","service":[{"name":"Old"}],"buf_extension":{"is_import":true}},
		{"name":"own.proto","syntax":"proto3","dependency":["dep.proto"],"service":[{"name":"Own"}],"bufExtension":{"isImport":false}}]}`
	cases := map[string]struct {
		data []byte
		want string
	}{
		"binary": {encodedSet(t, files...), "shop.Prices"},
		"JSON":   {[]byte(image), "Own"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.FileSetBytes("image", c.data))
			wantServices(t, set, c.want)
			wantProblems(t, set)
		})
	}
}

// Options that a set declares itself, and this program has never heard of, survive JSON.
func TestFileSetJSONKeepsOwnOptions(t *testing.T) {
	t.Parallel()
	files := compile(t, sources{
		"opt.proto": `syntax = "proto2";
			package opt;
			import "google/protobuf/descriptor.proto";
			message Rule { optional string text = 1; }
			extend google.protobuf.MessageOptions { optional Rule rule = 50123; }`,
		"use.proto": `syntax = "proto3";
			package use;
			import "google/api/annotations.proto";
			import "opt.proto";
			message M { option (opt.rule) = { text: "kept" }; }
			service S { rpc Do(M) returns (M) { option (google.api.http) = { get: "/v1" }; } }`,
	})
	binary := mustLoad(t, descriptor.FileSetBytes("b", encodedSet(t, files...)))
	set := &descriptorpb.FileDescriptorSet{}
	if err := (proto.UnmarshalOptions{Resolver: binary.Types()}).Unmarshal(encodedSet(t, files...), set); err != nil {
		t.Fatal(err)
	}
	text, err := protojson.MarshalOptions{Resolver: binary.Types()}.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(`"[opt.rule]"`)) {
		t.Fatalf("the test's own JSON lacks the option: %s", text)
	}
	if got := mustLoad(t, descriptor.FileSetBytes("j", text)); got.Digest() != binary.Digest() {
		t.Errorf("JSON and binary differ: %q, %q", got.Problems(), binary.Problems())
	}
}

func TestFileSetIsolatesEntries(t *testing.T) {
	t.Parallel()
	good := `{"name":"good.proto","syntax":"proto3","service":[{"name":"Good"}]}`
	goodProto := &descriptorpb.FileDescriptorProto{
		Name: proto.String("good.proto"), Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("Good")}},
	}
	entry := func(text string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), text)
	}
	cases := map[string]struct {
		data     []byte
		problems []string
	}{
		"binary":         {append(encodedSet(t, goodProto), entry("\n\x09bad.proto\xff")...), []string{"bad.proto", "not a file descriptor"}},
		"binary unnamed": {append(encodedSet(t, goodProto), entry("\xff")...), []string{"file 2 of the set", "not a file descriptor"}},
		"binary empty":   {append(encodedSet(t, goodProto), entry("")...), []string{"file 2 of the set", "without a name"}},
		"JSON":           {[]byte(`{"file":[` + good + `,{"name":"bad.proto","service":7}]}`), []string{"bad.proto", "not a file descriptor"}},
		"JSON unnamed":   {[]byte(`{"file":[7,` + good + `]}`), []string{"file 1 of the set", "not a file descriptor"}},
		"JSON options":   {[]byte(`{"file":[` + good + `,{"name":"o.proto","options":{"[a.b]":1}}]}`), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.FileSetBytes("set", c.data))
			wantServices(t, set, "Good")
			wantProblems(t, set, c.problems...)
		})
	}
}

// TestFileSetMalformedOptions: an option that was cut off costs its file, and the file and the owner of the option are named.
func TestFileSetMalformedOptions(t *testing.T) {
	t.Parallel()
	good := &descriptorpb.FileDescriptorProto{
		Name: proto.String("good.proto"), Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("Good")}},
	}
	field := func(number protowire.Number, parts ...string) string {
		return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), strings.Join(parts, "")))
	}
	const cut = "\xda\xa7\x25\x05\x08" // the tag of an extension, a length of 5, and one byte
	name := field(1, "bad.proto")
	nested := strings.Repeat("\x1a\x7f", 200)
	for what, c := range map[string]struct{ file, want string }{
		"file":   {name + field(8, cut), "the bytes of its own options are malformed: compile it again"},
		"method": {name + field(6, field(1, "S"), field(2, field(4, cut), field(1, "Do"))), "the options of S.Do are malformed"},
		"nested": {
			name + field(4, field(1, "M"), field(3, field(1, "N"), field(2, field(1, "a"), field(8, cut)))), "the options of M.N.a are malformed",
		},
		"range":       {name + field(4, field(1, "M"), field(5, field(3, cut))), "the options of M are malformed"},
		"sound":       {name + field(8, field(76411, "\x08")) + field(4, "\xff"), "not a file descriptor: "},
		"a number":    {name + field(6, field(3, field(1, cut))) + field(4, "\xff"), "not a file descriptor: "},
		"bottomless":  {name + field(4, nested), "not a file descriptor: "},
		"unnamed one": {name + field(6, field(3, cut)), "its own options are malformed"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.FileSetBytes("set", append([]byte(field(1, c.file)), encodedSet(t, good)...)))
			wantServices(t, set, "Good")
			wantProblems(t, set, "bad.proto", c.want)
			_, err := descriptor.FileSetBytes("set", []byte(field(1, c.file))).Load(t.Context())
			wantError(t, err, "none of its 1 entries is a file that can be read: bad.proto: ", c.want)
		})
	}
}

func TestFileSetRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	single, err := proto.Marshal(compile(t, shop)[0])
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = zip.Write(encodedSet(t, compile(t, shop)...))
	_ = zip.Close()
	hint := "build one with: buf build -o x.binpb, or protoc --include_imports --include_source_info -o x.binpb"
	cases := []struct {
		name, file string
		data       []byte
		want       string
	}{
		{"empty", "x.binpb", nil, "it is empty"},
		{"text", "x.txt", []byte("hello, world"), "it is not protobuf"},
		{
			"source", "x.proto", []byte(`syntax = "proto3";`),
			"looks like .proto source: on the command line give it with --proto, in Go load it with descriptor.Files",
		},
		{"gzip", "x.binpb.gz", zipped.Bytes(), "compressed with gzip"},
		{"one file, not a set", "x.pb", single, "none of its"},
		{"another message", "x.bin", []byte("\x10\x01"), "it holds no files"},
		{"JSON array", "x.json", []byte("[]"), "not a FileDescriptorSet"},
		{"JSON cut off", "x.json", []byte(`{"file":[`), "unexpected EOF"},
		{"JSON object", "x", []byte(`{"a":1}`), "it holds no files"},
		{"JSON of bad files", "x", []byte(`{"file":[1]}`), "none of its 1 entries is a file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := descriptor.FileSetBytes(c.file, c.data).Load(t.Context())
			wantError(t, err, `descriptor set "`+c.file+`": not a FileDescriptorSet: `, c.want)
			if c.file == "x.binpb" {
				wantError(t, err, hint)
			}
		})
	}
}

func TestFileSetUnreadable(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.binpb")
	_, err := descriptor.FileSet(missing).Load(t.Context())
	wantError(t, err, `descriptor set "`+missing+`": no such file or directory`)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	_, err = descriptor.FileSet(t.TempDir()).Load(t.Context())
	wantError(t, err, "is a directory")
}

func TestFileSetKeepsLimits(t *testing.T) {
	t.Parallel()
	data := encodedSet(t, compile(t, shop)...)
	path := filepath.Join(t.TempDir(), "shop.binpb")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	small := descriptor.WithLimits(descriptor.Limits{Bytes: int64(len(data)) - 1})
	few := descriptor.WithLimits(descriptor.Limits{Files: 2})
	for name, source := range map[string]descriptor.Source{
		"bytes of a file": descriptor.FileSet(path, small), "bytes": descriptor.FileSetBytes("b", data, small),
		"files": descriptor.FileSet(path, few),
	} {
		_, err := source.Load(t.Context())
		wantError(t, err, "descriptor set", "more than", "raise descriptor.Limits.")
		if !errors.Is(err, descriptor.ErrLimit) {
			t.Errorf("%s: %v is not ErrLimit", name, err)
		}
	}
	exact := descriptor.WithLimits(descriptor.Limits{Bytes: int64(len(data)), Files: 3})
	wantServices(t, mustLoad(t, descriptor.FileSet(path, exact)), "shop.Orders", "shop.Prices")
}

func TestFileSetStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := descriptor.FileSetBytes("b", encodedSet(t, compile(t, shop)...)).Load(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func FuzzFileSetBytes(f *testing.F) {
	files := compile(f, shop)
	f.Add(encodedSet(f, files...))
	f.Add(encodedSet(f, files[0]))
	f.Add(encodedSet(f, edition("next.proto", 2026), messageSet()))
	f.Add([]byte(`{"file":[{"name":"a.proto","syntax":"proto3","service":[{"name":"S"}],"options":{"[x.y]":1}}]}`))
	f.Add([]byte("\n\x02\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		source := descriptor.FileSetBytes("fuzz", data, descriptor.WithLimits(descriptor.Limits{Bytes: 1 << 20}))
		set, err := source.Load(t.Context())
		if err != nil {
			return
		}
		if again := mustLoad(t, source); again.Digest() != set.Digest() {
			t.Errorf("two loads, two digests: %q, %q", set.Problems(), again.Problems())
		}
		for _, service := range set.Services() {
			if found, err := set.Files().FindDescriptorByName(service.FullName()); err != nil || found != protoreflect.Descriptor(service) {
				t.Errorf("%s is not of the set's files: %v", service.FullName(), err)
			}
		}
	})
}
