package descriptor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Reflection returns the Source that asks the server at the other end of conn by the gRPC reflection protocol:
// grpc.reflection.v1, and v1alpha where that is not implemented. All services that the server lists are taken, its own
// reflection and health services included.
//
// A service that the server lists and cannot describe, an answer that cannot be read and an import that the server does
// not serve are each a [Problem]. Loading fails when the server cannot be reached, offers no reflection, refuses to
// list its services, breaks off, answers nothing but failures, or goes over the [Limits]. [WithHeaders] adds a
// credential.
func Reflection(conn grpc.ClientConnInterface, opts ...Option) Source {
	o := newOptions(opts)
	return loader(func(ctx context.Context) (*Set, error) {
		set, err := askServer(ctx, conn, o)
		if err != nil {
			return nil, fmt.Errorf("reflection of %s: %w", target(conn), err)
		}
		return set, nil
	})
}

// target names the server where the connection knows it.
func target(conn grpc.ClientConnInterface) string {
	if named, ok := conn.(interface{ Target() string }); ok {
		return fmt.Sprintf("%q", named.Target())
	}
	return "the server"
}

func askServer(ctx context.Context, conn grpc.ClientConnInterface, o options) (*Set, error) {
	ctx, cancel := o.limits.start(ctx)
	defer cancel()
	if len(o.headers) > 0 {
		carried, _ := metadata.FromOutgoingContext(ctx)
		ctx = metadata.NewOutgoingContext(ctx, metadata.Join(carried, o.headers))
	}
	talk, names, err := negotiate(ctx, conn, o.limits)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	found := newSurvey(talk, o.limits)
	if err := found.run(ctx, names); err != nil {
		return nil, err
	}
	return build(found.material, o.limits)
}

// negotiate lists the services in the newest version of the protocol that the server speaks.
func negotiate(ctx context.Context, conn grpc.ClientConnInterface, limits Limits) (*dialogue, []string, error) {
	for _, method := range []string{methodV1, methodV1Alpha} {
		talk := &dialogue{conn: conn, method: method, limits: limits}
		names, err := listServices(ctx, talk)
		if err == nil {
			return talk, names, nil
		}
		talk.close()
		switch status.Code(err) {
		case codes.Unimplemented:
			continue
		case codes.Unauthenticated, codes.PermissionDenied:
			return nil, nil, fmt.Errorf("listing the services was refused (WithHeaders sends a credential): %w", err)
		}
		return nil, nil, fmt.Errorf("listing the services: %w", err)
	}
	return nil, nil, errors.New("the server offers no reflection, neither v1 nor v1alpha: enable it there, " +
		"or load a descriptor set or .proto sources instead")
}

func listServices(ctx context.Context, talk *dialogue) ([]string, error) {
	answer, err := talk.ask(ctx, &reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{},
	})
	if err != nil {
		return nil, err
	}
	list := answer.GetListServicesResponse()
	if list == nil {
		return nil, unexpected(answer)
	}
	names := make(map[string]bool)
	for _, service := range list.GetService() {
		names[service.GetName()] = true
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// survey collects the files that describe a server's services.
type survey struct {
	material
	talk     *dialogue
	limits   Limits
	asked    map[string]bool                // file names that have come in or been asked for
	declared map[protoreflect.FullName]bool // services of the files that have come in
	seen     map[[sha256.Size]byte]bool     // files by their bytes: many servers send imports with every answer
	size     int64                          // of the distinct ones
	broken   error                          // the first failure of the stream itself, or of the moment
	worked   bool                           // whether the server has answered anything of substance
}

func newSurvey(talk *dialogue, limits Limits) *survey {
	return &survey{
		material: material{
			services: []protoreflect.FullName{},
			silent:   make(map[protoreflect.FullName]string),
			absent:   make(map[string]string),
		},
		talk:     talk,
		limits:   limits,
		asked:    make(map[string]bool),
		declared: make(map[protoreflect.FullName]bool),
		seen:     make(map[[sha256.Size]byte]bool),
	}
}

func (s *survey) run(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := s.describe(ctx, protoreflect.FullName(name)); err != nil {
			return fmt.Errorf("describing %q: %w", plain(name), err)
		}
	}
	if s.broken != nil && !s.worked {
		return fmt.Errorf("no service can be described: %w", s.broken)
	}
	return s.fetchImports(ctx)
}

// describe gets the file that declares a service, unless it has come with another. Only what ends the whole load is an
// error.
func (s *survey) describe(ctx context.Context, name protoreflect.FullName) error {
	if !name.IsValid() || unwieldy(string(name)) {
		s.problems = append(s.problems, newProblem(string(name), "the server lists it, but it cannot be a service's name"))
		return nil
	}
	s.services = append(s.services, name)
	if s.declared[name] {
		return nil
	}
	failure, err := s.fetch(ctx, &reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: string(name)},
	})
	if failure != nil {
		s.silent[name] = plain("the server lists it but cannot describe it: " + said(failure))
	}
	return err
}

// fetchImports asks for each file that has been imported and not come, until there are none.
func (s *survey) fetchImports(ctx context.Context) error {
	for i := 0; i < len(s.drafts); i++ { //nolint:intrange // the list grows while it is gone through
		for _, path := range s.drafts[i].proto.GetDependency() {
			if s.asked[path] {
				continue
			}
			s.asked[path] = true
			if err := s.fetchImport(ctx, path); err != nil {
				return fmt.Errorf("asking for the import %q: %w", plain(path), err)
			}
		}
	}
	return nil
}

func (s *survey) fetchImport(ctx context.Context, path string) error {
	if len(s.asked) > s.limits.Files {
		return s.limits.filesError()
	}
	failure, err := s.fetch(ctx, &reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_FileByFilename{FileByFilename: path},
	})
	if failure != nil {
		s.absent[path] = plain("the server did not give: " + said(failure))
	}
	return err
}

// fetch takes over the files of one answer. It returns the failure of this request or the error that ends the load.
func (s *survey) fetch(ctx context.Context, request *reflectionpb.ServerReflectionRequest) (failure, err error) {
	answer, err := s.talk.ask(ctx, request)
	if err != nil {
		if final(err) {
			return nil, err
		}
		s.fail(err)
		return err, nil
	}
	files := answer.GetFileDescriptorResponse()
	if files == nil {
		failure := unexpected(answer)
		if passing(failure) {
			s.fail(failure)
		} else {
			s.worked = true
		}
		return failure, nil
	}
	s.worked = true
	for _, data := range files.GetFileDescriptorProto() {
		unreadable, err := s.take(data)
		if err != nil {
			return nil, err
		}
		if failure == nil {
			failure = unreadable
		}
	}
	return failure, nil
}

// fail notes a failure that is no answer about what was asked for.
func (s *survey) fail(err error) {
	if s.broken == nil {
		s.broken = err
	}
}

// take keeps a file, unless it is known.
func (s *survey) take(data []byte) (failure, err error) {
	sum := sha256.Sum256(data)
	if s.seen[sum] {
		return nil, nil
	}
	s.seen[sum] = true
	s.size += int64(len(data))
	if s.size > s.limits.Bytes {
		return nil, s.limits.bytesError()
	}
	if len(s.drafts) >= s.limits.Files {
		return nil, s.limits.filesError()
	}
	d, failure := decodeDraft(data)
	if failure != nil {
		return failure, nil
	}
	s.asked[d.proto.GetName()] = true
	for _, service := range d.services() {
		s.declared[service] = true
	}
	s.drafts = append(s.drafts, d)
	return nil, nil
}
