package catalog_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// BenchmarkCorpus starts as a bridge in front of all the real APIs does: it reads their descriptor sets, all at once, and makes
// a catalog with the pages of every revision. Beside what that takes it tells of the memory that it leaves in use, and of the
// largest resident size of the process meanwhile, all else in it included.
func BenchmarkCorpus(b *testing.B) {
	paths := corpusPaths(b)
	var sources []catalog.Source // a bridge keeps them, to tell whether they have changed
	measure(b, func() *catalog.Catalog {
		sources = loadAll(b, paths)
		return compile(b, catalog.Options{Features: allFeatures()}, sources...)
	}, func() { sources = nil })
}

// BenchmarkMethods makes catalogs of invented services: nothing may grow faster than the number of methods does.
func BenchmarkMethods(b *testing.B) {
	for _, sharing := range []string{"shared", "own"} {
		for _, n := range []int{1_000, 10_000, 30_000} {
			b.Run(fmt.Sprintf("%s/%d", sharing, n), func(b *testing.B) {
				set := invented(b, n, sharing == "own")
				source := catalog.Source{Backend: named(b, "b"), Set: set}
				measure(b, func() *catalog.Catalog {
					return compile(b, catalog.Options{Features: allFeatures()}, source)
				}, func() {})
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/method")
			})
		}
	}
}

// BenchmarkPage finds the first page of 1,000 tools: as it is, compressed the first time, and compressed later on.
func BenchmarkPage(b *testing.B) {
	const n = 1_000
	f := revisions["2026-07-28"]
	source := catalog.Source{Backend: named(b, "b"), Set: invented(b, n, true)}
	made := func() *catalog.Catalog {
		return compile(b, catalog.Options{Features: []mcp.Features{f}, PageSize: n}, source)
	}
	c := made()
	report := func(b *testing.B, parts ...[]byte) {
		b.ReportMetric(float64(len(bytes.Join(parts, nil))), "B/page")
	}
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			find(b, c, mcp.ListTools, f, "")
		}
		page, _ := find(b, c, mcp.ListTools, f, "")
		report(b, page.JSON())
	})
	for _, name := range []string{"first", "later"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var parts [][]byte
			for b.Loop() {
				if name == "first" {
					b.StopTimer()
					c = made()
					b.StartTimer()
				}
				page, _ := find(b, c, mcp.ListTools, f, "")
				parts = page.Gzip(nil, nil)
			}
			report(b, parts...)
		})
	}
}

// measure runs a benchmark of something that makes a catalog, and keeps more that it lets go of when it is told to forget.
func measure(b *testing.B, compiled func() *catalog.Catalog, forget func()) {
	b.Helper()
	b.ReportAllocs()
	var heap, peak, methods, busy float64
	for b.Loop() {
		b.StopTimer()
		forget()
		debug.FreeOSMemory()
		before := inUse()
		forgetPeak()
		idle := processorTime()
		b.StartTimer()
		c := compiled()
		b.StopTimer()
		busy += (processorTime() - idle).Seconds()
		peak = max(peak, peakSize())
		runtime.GC()
		runtime.GC() // what lies in pools goes with the second
		heap, methods = max(heap, inUse()-before), float64(len(c.Tools()))
		runtime.KeepAlive(c)
		b.StartTimer()
	}
	b.ReportMetric(heap, "MiB-heap")
	b.ReportMetric(peak, "MiB-peak")
	b.ReportMetric(heap*(1<<20)/methods, "heapB/method")
	b.ReportMetric(busy/float64(b.N), "cpu-s/op")
	b.ReportMetric(busy*1e9/float64(b.N)/methods, "cpu-ns/method")
	b.ReportMetric(methods, "methods")
}

// processorTime is what the process has used of all processors.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// inUse is the memory of objects in MiB.
func inUse() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// forgetPeak lets the kernel measure the peak anew (proc_pid_clear_refs(5)); where it does not, the peak is that since the
// start of the process.
func forgetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakSize is the largest resident size of the process in MiB; 0 where the kernel does not tell.
func peakSize() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, _ := strconv.ParseFloat(value, 64)
	return kib / (1 << 10)
}

// loadAll reads descriptor sets, each as a backend of its own, all at once.
func loadAll(t testing.TB, paths []string) []catalog.Source {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sources, errs := make([]catalog.Source, len(paths)), make([]error, len(paths))
	var loading sync.WaitGroup
	for i, path := range paths {
		sources[i].Backend = named(t, strings.TrimSuffix(filepath.Base(path), ".binpb"))
		loading.Go(func() { sources[i].Set, errs[i] = descriptor.FileSet(path).Load(ctx) })
	}
	loading.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("%s: %v", paths[i], err)
		}
	}
	return sources
}

// methodsPerService is how many methods an invented service has.
const methodsPerService = 10

// invented makes services of n methods together. Ten methods share their requests and responses, which have a book and its
// author below them, unless each is to have messages of its own.
func invented(t testing.TB, n int, own bool) *descriptor.Set {
	t.Helper()
	files := []*fileProto{sharedFile()}
	for s := range n / methodsPerService {
		file := &fileProto{
			Name: proto.String(fmt.Sprintf("s%d.proto", s)), Package: proto.String("invented.v1"), Syntax: proto.String("proto3"),
			Dependency: []string{"shared.proto"},
		}
		service := &descriptorpb.ServiceDescriptorProto{Name: proto.String(fmt.Sprintf("Shelf%dService", s))}
		for m := range methodsPerService {
			in, out := fmt.Sprintf("S%dRequest", s), fmt.Sprintf("S%dResponse", s)
			if own {
				in, out = fmt.Sprintf("S%dM%dRequest", s, m), fmt.Sprintf("S%dM%dResponse", s, m)
			}
			if own || m == 0 {
				file.MessageType = append(file.MessageType, invent(in), invent(out))
			}
			service.Method = append(service.Method, &descriptorpb.MethodDescriptorProto{
				Name:       proto.String(fmt.Sprintf("GetBook%d", m)),
				InputType:  proto.String(".invented.v1." + in),
				OutputType: proto.String(".invented.v1." + out),
			})
		}
		file.Service = append(file.Service, service)
		files = append(files, file)
	}
	set, err := descriptor.New(files, nil, descriptor.WithLimits(descriptor.Limits{Bytes: 1 << 32, Files: len(files)}))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// sharedFile has what all invented messages hold.
func sharedFile() *fileProto {
	return &fileProto{
		Name: proto.String("shared.proto"), Package: proto.String("invented.v1"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("Author"), Field: []*descriptorpb.FieldDescriptorProto{inventField("name", 1, ""), inventField("born", 2, "")}},
			{Name: proto.String("Book"), Field: []*descriptorpb.FieldDescriptorProto{
				inventField("title", 1, ""), inventField("isbn", 2, ""), inventField("author", 3, "Author"), inventField("publisher", 4, ""),
			}},
		},
	}
}

// invent makes a message.
func invent(name string) *descriptorpb.DescriptorProto {
	return &descriptorpb.DescriptorProto{Name: &name, Field: []*descriptorpb.FieldDescriptorProto{
		inventField("name", 1, ""), inventField("parent", 2, ""), inventField("filter", 3, ""), inventField("order_by", 4, ""),
		inventField("book", 5, "Book"), inventField("page_token", 6, ""),
	}}
}

// inventField makes a field of a message of the file that is shared, "" for a string.
func inventField(name string, number int32, of string) *descriptorpb.FieldDescriptorProto {
	f := &descriptorpb.FieldDescriptorProto{
		Name: &name, Number: &number,
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
	}
	if of != "" {
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".invented.v1."+of)
	}
	return f
}
