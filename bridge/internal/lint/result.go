package lint

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// result looks at how large a result can get.
func (f *findings) result(s *Subject) {
	verb := strings.ToLower(leadingWord(string(s.Method.Name())))
	if !known(listing, verb) || s.Method.IsStreamingServer() {
		return
	}
	list := repeatedMessage(s.Method.Output())
	if list == nil || narrows(s.Method.Input(), 1) {
		return
	}
	f.add(unpagedList, "inputSchema", "give the request a page_size (AIP-158), a limit or a read mask",
		"no argument makes a result smaller that has all there are, however many: %s", list.Name())
}

func leadingWord(name string) string {
	if words := annotation.Words(name); len(words) > 0 {
		return words[0]
	}
	return name
}

// listing are the verbs of methods that find many things, sorted.
var listing = []string{"enumerate", "find", "list", "query", "scan", "search"}

// repeatedMessage returns the first direct field that is a list of messages; nil for none.
func repeatedMessage(md protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); fd.IsList() && fd.Message() != nil {
			return fd
		}
	}
	return nil
}

// narrowing are names of fields that say how many things, or which part of them, are wanted; sorted.
var narrowing = []string{
	"count", "first", "last", "limit", "n", "num_results", "page_size", "pagesize", "per_page", "range_end", "read_mask", "size", "take",
	"top", "top_k", "topk", "view",
}

// inner are the ends of the names of messages in a request that say how much of a result is wanted.
var inner = []string{"page", "pagination", "paging", "request", "query", "options"}

// narrows says whether a request has a field that makes its result smaller, or a message that is about its result and has one.
func narrows(md protoreflect.MessageDescriptor, depth int) bool {
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		name := strings.ToLower(string(fd.Name()))
		if known(narrowing, name) || strings.HasPrefix(name, "max_") || strings.HasSuffix(name, "page_size") || strings.Contains(name, "limit") {
			return true
		}
		if strings.Contains(name, "mask") && !strings.HasPrefix(name, "update") {
			return true
		}
		about := slices.ContainsFunc(inner, func(end string) bool { return strings.HasSuffix(name, end) })
		if about && depth > 0 && fd.Message() != nil && narrows(fd.Message(), depth-1) {
			return true
		}
	}
	return false
}

// secrets looks for fields that seem to hold secrets: arguments that a model has to write, and results that it gets to read.
func (f *findings) secrets(s *Subject) {
	if found := s.secretsOf(s.Method.Input(), func(b annotation.Behavior) bool { return b.OutputOnly }); len(found) > 0 {
		f.add(secretArgument, "inputSchema",
			"hide the method, or have the secret set elsewhere, or mark the field with debug_redact to say that it is known",
			"the model has to write what looks like a secret, and its client keeps it: %s", strings.Join(leading(found, named), ", "))
	}
	if found := s.secretsOf(s.Method.Output(), func(b annotation.Behavior) bool { return b.InputOnly }); len(found) > 0 {
		f.add(secretResult, "outputSchema",
			"hide the method, or leave the field out of the response, or mark it with debug_redact to say that it is known",
			"the model gets to read what looks like a secret: %s", strings.Join(leading(found, named), ", "))
	}
}

// secretsOf lists the paths of the fields of a message, and of what is in it, that seem to hold secrets, each message once.
func (s *Subject) secretsOf(md protoreflect.MessageDescriptor, leftOut func(annotation.Behavior) bool) []string {
	var found []string
	visitFields(md, func(path string, fd protoreflect.FieldDescriptor) bool {
		within, secret := valueMessage(fd), isSecret(fd)
		if (within != nil || secret) && (s.Reader.Hidden(fd) != "" || leftOut(s.Reader.Field(fd).Behavior)) {
			return false
		}
		if within == nil && secret && !s.excused(fd) && !isWordToken(path) {
			found = append(found, path)
		}
		return true
	})
	return found
}

// valueMessage is the message that a field, or the values of a map, hold; nil for none.
func valueMessage(fd protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	return fd.Message()
}

// excused says that a field is known to hold a secret, or holds only the name of one.
func (s *Subject) excused(fd protoreflect.FieldDescriptor) bool {
	said := s.Reader.Field(fd)
	return said.Redacted || len(said.Resource) > 0
}

// isWordToken says whether a path leads to what is called a token without more, in a message where nothing is about access: it
// may as well be a piece of text, or the mark of a place in a list.
func isWordToken(path string) bool {
	around, name, within := strings.Cut(path[max(strings.LastIndexByte(path, '.'), 0):], "token")
	if !within || around != "." || name != "" {
		return false
	}
	return !slices.ContainsFunc([]string{"auth", "login", "cred", "connection", "session", "account"}, func(part string) bool {
		return strings.Contains(strings.ToLower(path), part)
	})
}

// isSecret says whether a field of text or bytes is called as secrets are.
func isSecret(fd protoreflect.FieldDescriptor) bool {
	kind := fd.Kind()
	if fd.IsMap() {
		kind = fd.MapValue().Kind()
	}
	if kind != protoreflect.StringKind && kind != protoreflect.BytesKind {
		return false
	}
	words := annotation.Words(string(fd.Name()))
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return secretWords(words)
}

// bearers are the words before "token" that make a secret of it, sorted.
var bearers = []string{"access", "api", "auth", "bearer", "id", "identity", "oauth", "refresh", "secret", "security"}

// secretWords goes by the last words of a name: password_hash and secret_name are none, access_token is one and page_token is
// not.
func secretWords(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch last {
	case "password", "passwd", "passphrase", "pwd", "secret", "secrets", "apikey", "credential", "credentials":
		return true
	case "token":
		return before == "" || known(bearers, before)
	case "key":
		return slices.Contains([]string{"access", "api", "encryption", "private", "secret", "signing"}, before)
	}
	return false
}
