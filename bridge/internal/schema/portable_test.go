package schema_test

import (
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// readerOf reads the files of methods, and what they import.
func readerOf(t testing.TB, methods []protoreflect.MethodDescriptor, labels ...string) *annotation.Reader {
	t.Helper()
	files := &protoregistry.Files{}
	var register func(fd protoreflect.FileDescriptor)
	register = func(fd protoreflect.FileDescriptor) {
		if _, err := files.FindFileByPath(fd.Path()); err == nil || fd.IsPlaceholder() {
			return
		}
		if err := files.RegisterFile(fd); err != nil {
			t.Fatal(err)
		}
		for i := range fd.Imports().Len() {
			register(fd.Imports().Get(i).FileDescriptor)
		}
	}
	for _, m := range methods {
		register(m.ParentFile())
	}
	return annotation.NewReader(files, labels...)
}

// subject is a method with the generator of its set.
type subject struct {
	protoreflect.MethodDescriptor
	generator *schema.Generator
}

func (s subject) input() []byte { return s.generator.Input(s.Input()).JSON }

func (s subject) output(omit func(protoreflect.FieldDescriptor) bool) []byte {
	return s.generator.Output(s.Output(), omit).JSON
}

// portable makes the subjects of a set of methods.
func portable(t testing.TB, methods []protoreflect.MethodDescriptor, labels ...string) []subject {
	t.Helper()
	g := schema.New(readerOf(t, methods, labels...), schema.Portable)
	subjects := make([]subject, len(methods))
	for i, m := range methods {
		subjects[i] = subject{m, g}
	}
	return subjects
}

// TestLabelsShowWhatIsRestricted gives the label that testdata/visibility.proto asks for.
func TestLabelsShowWhatIsRestricted(t *testing.T) {
	t.Parallel()
	s := portable(t, methodsOf(compile(t, "testdata", "visibility.proto")), "INTERNAL")[0]
	check(t, s)
	contains(t, s.input(), []string{`"hidden"`, `"enum":["FRONT","VAULT"]`, `"secret"`}, nil)
	contains(t, s.output(nil), []string{`"hidden"`, `"secret"`}, nil)
}

// TestGeneratorServesManyAtOnce makes the schemas of one set from several goroutines, each in another order, and compares
// them with what a generator makes that has seen nothing else.
func TestGeneratorServesManyAtOnce(t *testing.T) {
	t.Parallel()
	methods := methodsOf(compile(t, "testdata", "required.proto"))
	methods = append(methods, methodsOf(compile(t, "testdata", "recursion.proto"))...)
	methods = append(methods, methodsOf(compile(t, "testdata", "oneofs.proto"))...)
	shared := portable(t, methods)
	var wg sync.WaitGroup
	for first := range 8 {
		wg.Go(func() {
			for i := range shared {
				s := shared[(first+i)%len(shared)]
				alone := portable(t, []protoreflect.MethodDescriptor{s.MethodDescriptor})[0]
				if string(s.input()) != string(alone.input()) || string(s.output(nil)) != string(alone.output(nil)) {
					t.Errorf("%s: other schemas than alone", s.FullName())
				}
			}
		})
	}
	wg.Wait()
}
