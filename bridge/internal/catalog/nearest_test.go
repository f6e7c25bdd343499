package catalog_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, library(t))
	for name, want := range map[string]string{
		"library_getbook":                    "library_get_book",
		"LibraryGetBook":                     "library_get_book",
		"library_get_bok":                    "library_get_book",
		"library_get_boxok":                  "library_get_book",
		"librar_upadte_book":                 "library_update_book",
		"library.v1.LibraryService.GetBook":  "library_get_book",
		"/library.v1.LibraryService/GetBook": "library_get_book",
		"LibraryService.GetBook":             "library_get_book",
		"LibraryService/GetBook":             "library_get_book",
		"library_service_get_book":           "library_get_book",
		"GetBook":                            "library_get_book",
		"get_book":                           "library_get_book",
		"mcp__books__library_get_book":       "library_get_book",
		"library.v1.LibraryService.GetBok":   "library_get_book",
		"library.v1.LibrarySevice.GetBook":   "library_get_book",
		"/library.v1.LibraryService/GetBok":  "library_get_book",
		"library.v2.LibraryService.GetBook":  "",
		"other.v1.LibraryService.GetBok":     "",
		"book":                               "",
		"library_set_book":                   "",
		"library_create_book":                "",
		"library_book":                       "",
		"library_watch_boks":                 "library_watch_books",
		"launch_rockets":                     "",
		"":                                   "",
		strings.Repeat("get_book_", 1000):    "",
	} {
		if got := c.Nearest(name); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// actions are methods that differ in what they do and hardly in their names.
const actions = `syntax = "proto3";
	package a.v1;
	message M {}
	service LibraryService {
		rpc CreateBook(M) returns (M);
		rpc DeleteBook(M) returns (M);
		rpc LockBook(M) returns (M);
		rpc GetPage1(M) returns (M);
		rpc CloseShelf(M) returns (M);
		rpc ImportShelf(M) returns (M);
		rpc GetBooks(M) returns (M);
		rpc GetBook(M) returns (M);
		rpc Watch(M) returns (stream M);
		rpc WatchHidden(M) returns (stream M);
	}
	service ShelfService { rpc CloseShelf(M) returns (M); }`

// TestNearestIsNoOtherAction: whoever asks for one thing is not sent to do another.
func TestNearestIsNoOtherAction(t *testing.T) {
	t.Parallel()
	set := load(t, descriptor.Files([]string{writeProto(t, actions)}, []string{"x.proto"}))
	c := compile(t, catalog.Options{}, catalog.Source{
		Backend: named(t, "b"), Set: set, Hide: []string{"*.DeleteBook", "*.GetBook", "*.WatchHidden"},
	})
	for _, name := range []string{
		"library_delete_book", "a.v1.LibraryService.DeleteBook", "DeleteBook", "library_unlock_book", "library_look_book",
		"library_get_page2", "library_clone_shelf", "library_export_shelf", "library_get_book", "CloseShelf", "library_set_books",
		"a.v1.LibraryService.GetBook", "a.v1.LibraryService.UnlockBook", "a.v1.LibraryService.LookBook", "a.v1.LibraryService.GetPage2",
	} {
		if got := c.Nearest(name); got != "" {
			t.Errorf("Nearest(%q) = %q", name, got)
		}
	}
}

// TestWithheld: nothing is told of methods that are hidden, nor of those that are tools, streaming ones too.
func TestWithheld(t *testing.T) {
	t.Parallel()
	set := load(t, descriptor.Files([]string{writeProto(t, actions)}, []string{"x.proto"}))
	c := compile(t, catalog.Options{}, catalog.Source{Backend: named(t, "b"), Set: set, Hide: []string{"*.DeleteBook", "*.WatchHidden"}})
	for name, want := range map[string]string{
		"library_watch":               "",
		"a.v1.LibraryService.Watch":   "",
		"/a.v1.LibraryService/Watch":  "",
		"library_watch_hidden":        "",
		"library_delete_book":         "",
		"library_get_book":            "",
		"a.v1.LibraryService.Missing": "",
	} {
		if got, ok := c.Withheld(name); got.Reason != want || ok != (want != "") {
			t.Errorf("Withheld(%q) = %+v, %v", name, got, ok)
		}
	}
}

// unmade are methods that are no tools for reasons of several kinds.
const unmade = `
	message M {}
	service S {
		rpc Wait(M) returns (M) { option (bridge.v1.method).required_capabilities = "patience"; }
		rpc Twin(M) returns (M) { option (bridge.v1.method).tool.name = "a_name_that_is_so_long_that_clients_cut_its_end_1"; }
		rpc Other(M) returns (M) { option (bridge.v1.method).tool.name = "a_name_that_is_so_long_that_clients_cut_its_end_2"; }
		rpc Hidden(M) returns (M) { option (bridge.v1.method) = { hide: true required_capabilities: "patience" }; }
		rpc Kept(M) returns (M) { option (bridge.v1.method).required_capabilities = "patience"; }
		rpc Unread(M) returns (M);
	}`

// TestWithheldReasons: who asks for a method that cannot be a tool is told why, by its full name and by that of its tool; of what
// is kept back, or may be, nothing is told.
func TestWithheldReasons(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", unmade)
	source.Hide = []string{"*.Kept"}
	file := fileOf(t, source.Set, "x.proto")
	method := file.Service[0].Method[5]
	method.Options = &descriptorpb.MethodOptions{}
	method.Options.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 76411, protowire.BytesType), []byte{0xff}))
	var files []*fileProto
	source.Set.Files().RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		if fd.Path() != "x.proto" {
			files = append(files, fileOf(t, source.Set, fd.Path()))
		}
		return true
	})
	set, err := descriptor.New(append(files, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	source.Set = set
	c := compile(t, catalog.Options{}, source)
	for name, want := range map[string]string{
		"test.S.Wait":  `required_capabilities has "patience"`,
		"s_wait":       `required_capabilities has "patience"`,
		"test.S.Other": "name: ",
		"a_name_that_is_so_long_that_clients_cut_its_end_2": "name: ",
		"a_name_that_is_so_long_that_clients_cut_its_end_1": "",
		"test.S.Hidden": "", "s_hidden": "", "test.S.Kept": "", "s_kept": "", "test.S.Unread": "", "s_unread": "", "test.S.None": "",
		"x.proto": "",
	} {
		if got, ok := c.Withheld(name); !strings.HasPrefix(got.Reason, want) || ok != (want != "") {
			t.Errorf("Withheld(%q) = %+v, %v", name, got, ok)
		}
	}
	told(t, c, catalog.Deficient, "S.Unread")
}
