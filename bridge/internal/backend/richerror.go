package backend

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

const (
	maxPhrase  = 512 // bytes of one text within a detail
	maxEntries = 20  // violations, links or metadata entries shown of one detail
)

// known adds a detail of the google.rpc model (google/rpc/error_details.proto) in words, and reports whether it was one.
// One that cannot be decoded counts as known and is dropped.
func (d *details) known(name protoreflect.FullName, value []byte, types Resolver) bool {
	tell, ok := richErrors[name]
	if !ok {
		return false
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		return false
	}
	m := mt.New().Interface()
	if unmarshal(value, m, types) != nil {
		return true
	}
	detail := Detail{Type: string(name), Lines: tell(d, m)}
	if scrub(m.ProtoReflect(), types, 0) {
		detail.JSON = marshalJSON(m, types)
	}
	if len(detail.JSON) > maxDetailJSON {
		detail.JSON = nil
	}
	d.list = append(d.list, detail)
	return true
}

// richErrors tells each kind of google.rpc detail in words.
var richErrors = map[protoreflect.FullName]func(*details, proto.Message) []string{
	"google.rpc.BadRequest":          teller((*details).badRequest),
	"google.rpc.ErrorInfo":           teller((*details).errorInfo),
	"google.rpc.RetryInfo":           teller((*details).retryInfo),
	"google.rpc.ResourceInfo":        teller((*details).resourceInfo),
	"google.rpc.PreconditionFailure": teller((*details).preconditionFailure),
	"google.rpc.QuotaFailure":        teller((*details).quotaFailure),
	"google.rpc.Help":                teller((*details).help),
	"google.rpc.LocalizedMessage":    teller((*details).localizedMessage),
	"google.rpc.RequestInfo":         teller((*details).requestInfo),
}

// teller adapts the function for one type to any message.
func teller[M proto.Message](tell func(*details, M) []string) func(*details, proto.Message) []string {
	return func(d *details, m proto.Message) []string {
		typed, ok := m.(M)
		if !ok {
			return nil
		}
		return tell(d, typed)
	}
}

func (d *details) badRequest(m *errdetails.BadRequest) []string {
	return each(m.GetFieldViolations(), "fields", func(v *errdetails.BadRequest_FieldViolation) string {
		description := cmp.Or(phrase(v.GetDescription()), phrase(v.GetLocalizedMessage().GetMessage()))
		field, reason := phrase(v.GetField()), bracket(phrase(v.GetReason()))
		if d.repeats(field, description) {
			description = ""
		}
		switch {
		case field != "":
			return join(named("field", field), description, reason)
		case description == "" && reason == "":
			return ""
		}
		return join("request", description, reason)
	})
}

func (d *details) errorInfo(m *errdetails.ErrorInfo) []string {
	facts := entries(m.GetMetadata())
	if m.GetDomain() != "" {
		facts = "domain=" + phrase(m.GetDomain()) + separator(facts) + facts
	}
	return []string{join("reason", phrase(m.GetReason()), bracket(facts))}
}

func (d *details) retryInfo(m *errdetails.RetryInfo) []string {
	d.invited = true
	if delay := m.GetRetryDelay(); delay.IsValid() {
		d.retryAfter = min(max(delay.AsDuration(), 0), maxRetryAfter)
	}
	return []string{} // told by the retry line
}

func (d *details) resourceInfo(m *errdetails.ResourceInfo) []string {
	owner := ""
	if m.GetOwner() != "" {
		owner = "owner " + phrase(m.GetOwner())
	}
	return []string{join(named("resource "+phrase(m.GetResourceType()), m.GetResourceName()), phrase(m.GetDescription()), bracket(owner))}
}

func (d *details) preconditionFailure(m *errdetails.PreconditionFailure) []string {
	return each(m.GetViolations(), "preconditions", func(v *errdetails.PreconditionFailure_Violation) string {
		return join(of("precondition "+phrase(v.GetType()), "on", v.GetSubject()), phrase(v.GetDescription()), "")
	})
}

func (d *details) quotaFailure(m *errdetails.QuotaFailure) []string {
	return each(m.GetViolations(), "quotas", func(v *errdetails.QuotaFailure_Violation) string {
		limit := ""
		if v.GetQuotaId() != "" || v.GetQuotaMetric() != "" {
			limit = fmt.Sprintf("%s limit=%d", phrase(v.GetQuotaMetric()+" "+v.GetQuotaId()), v.GetQuotaValue())
		}
		return join(of("quota", "of", v.GetSubject()), phrase(v.GetDescription()), bracket(limit))
	})
}

func (d *details) help(m *errdetails.Help) []string {
	return each(m.GetLinks(), "links", func(l *errdetails.Help_Link) string {
		url := phrase(l.GetUrl())
		if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
			url = ""
		}
		return join("help", phrase(l.GetDescription()), bracket(url))
	})
}

func (d *details) localizedMessage(m *errdetails.LocalizedMessage) []string {
	if d.repeats("", phrase(m.GetMessage())) {
		return []string{}
	}
	return []string{join("message", phrase(m.GetMessage()), bracket(phrase(m.GetLocale())))}
}

// requestInfo tells the id, by which the backend's people find the request; the other data is theirs alone.
func (d *details) requestInfo(m *errdetails.RequestInfo) []string {
	if m.GetRequestId() == "" {
		return []string{}
	}
	return []string{join("request id", phrase(m.GetRequestId()), "")}
}

// repeats reports whether the message of the status says the same of a field already; field may be empty.
func (d *details) repeats(field, description string) bool {
	if description == "" {
		return false
	}
	said := strings.TrimSuffix(d.said, ".")
	description = strings.TrimSuffix(description, ".")
	return said == description || field != "" && said == field+": "+description
}

// each tells the first maxEntries elements, of which some may have nothing to tell, and counts the rest. It is never nil.
func each[E any](list []E, what string, tell func(E) string) []string {
	lines := []string{}
	for _, e := range list[:min(len(list), maxEntries)] {
		if line := tell(e); line != "" {
			lines = append(lines, line)
		}
	}
	if rest := len(list) - maxEntries; rest > 0 {
		lines = append(lines, plural(rest, what))
	}
	return lines
}

// entries writes a map as "k=v, k=v" in order of its keys.
func entries(m map[string]string) string {
	var facts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if len(facts) == maxEntries {
			facts = append(facts, plural(len(m)-maxEntries, "entries"))
			break
		}
		facts = append(facts, phrase(k)+"="+phrase(m[k]))
	}
	return strings.Join(facts, ", ")
}

// join writes "subject: text (aside)" without what is empty.
func join(subject, text, aside string) string {
	if text != "" {
		subject += ": " + text
	}
	if aside != "" {
		subject += " " + aside
	}
	return subject
}

func phrase(s string) string { return clean(s, maxPhrase) }

// named writes `what "name"`, or what alone.
func named(what, name string) string { return of(what, "", name) }

// of writes `what of "name"`, or what alone, with another word for of.
func of(what, word, name string) string {
	what = strings.TrimSpace(what)
	if name = phrase(name); name == "" {
		return what
	}
	if word != "" {
		what += " " + word
	}
	return what + ` "` + name + `"`
}

func bracket(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func separator(following string) string {
	if following == "" {
		return ""
	}
	return ", "
}
