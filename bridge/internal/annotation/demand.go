package annotation

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// rule is one field of the rules for a type, with its value and the enum of what is ruled.
type rule struct {
	fd    protoreflect.FieldDescriptor
	value protoreflect.Value
	enum  protoreflect.EnumDescriptor
}

// common are the rules that mean the same in all messages that have them. `defined_only` is not here: the names of the enum
// say it already.
var common = map[protoreflect.Name]func(*Constraint, rule){
	"const": func(c *Constraint, r rule) {
		if text, ok := r.text(); ok {
			c.Const = &text
		}
	},
	"in":           func(c *Constraint, r rule) { c.In = r.texts() },
	"not_in":       func(c *Constraint, r rule) { c.NotIn = r.texts() },
	"lt":           func(c *Constraint, r rule) { c.Max = r.bound(true) },
	"lte":          func(c *Constraint, r rule) { c.Max = r.bound(false) },
	"gt":           func(c *Constraint, r rule) { c.Min = r.bound(true) },
	"gte":          func(c *Constraint, r rule) { c.Min = r.bound(false) },
	"finite":       func(c *Constraint, r rule) { c.Finite = r.value.Bool() },
	"len":          func(c *Constraint, r rule) { c.MinLength, c.MaxLength = r.count(), r.count() },
	"min_len":      func(c *Constraint, r rule) { c.MinLength = r.count() },
	"max_len":      func(c *Constraint, r rule) { c.MaxLength = r.count() },
	"len_bytes":    func(c *Constraint, r rule) { c.MinBytes, c.MaxBytes = r.count(), r.count() },
	"min_bytes":    func(c *Constraint, r rule) { c.MinBytes = r.count() },
	"max_bytes":    func(c *Constraint, r rule) { c.MaxBytes = r.count() },
	"pattern":      func(c *Constraint, r rule) { c.Pattern = r.value.String() },
	"prefix":       func(c *Constraint, r rule) { c.Prefix = r.value.String() },
	"suffix":       func(c *Constraint, r rule) { c.Suffix = r.value.String() },
	"contains":     func(c *Constraint, r rule) { c.Contains = r.value.String() },
	"not_contains": func(c *Constraint, r rule) { c.NotContains = r.value.String() },
	"strict":       loosen,
	"min_items":    func(c *Constraint, r rule) { c.MinItems = r.count() },
	"max_items":    func(c *Constraint, r rule) { c.MaxItems = r.count() },
	"min_pairs":    func(c *Constraint, r rule) { c.MinItems = r.count() },
	"max_pairs":    func(c *Constraint, r rule) { c.MaxItems = r.count() },
	"unique":       func(c *Constraint, r rule) { c.Unique = r.value.Bool() },
	"lt_now":       func(c *Constraint, r rule) { c.when(r, "Has to be in the past") },
	"gt_now":       func(c *Constraint, r rule) { c.when(r, "Has to be in the future") },
	"within": func(c *Constraint, r rule) {
		if text, ok := r.text(); ok {
			c.Words = appendClause(c.Words, "Has to be within "+text+" of the present")
		}
	},
}

// specials are the rules that mean something of their own in one message. JSON has base64 where bytes are, so that what bytes
// contain can only be told.
var specials = map[protoreflect.FullName]func(*Constraint, rule){
	"buf.validate.BytesRules.len":      func(c *Constraint, r rule) { c.MinBytes, c.MaxBytes = r.count(), r.count() },
	"buf.validate.BytesRules.min_len":  func(c *Constraint, r rule) { c.atLeast(r.value.Uint()) },
	"buf.validate.BytesRules.max_len":  func(c *Constraint, r rule) { c.MaxBytes = r.count() },
	"buf.validate.BytesRules.prefix":   func(c *Constraint, r rule) { c.piece(r, "begin with") },
	"buf.validate.BytesRules.suffix":   func(c *Constraint, r rule) { c.piece(r, "end in") },
	"buf.validate.BytesRules.contains": func(c *Constraint, r rule) { c.piece(r, "contain") },
	"buf.validate.BytesRules.pattern":  bytesPattern,
	"buf.validate.BytesRules.ip":       func(c *Constraint, r rule) { c.address(r, "an IP address", 4, 16) },
	"buf.validate.BytesRules.ipv4":     func(c *Constraint, r rule) { c.address(r, "an IPv4 address", 4, 4) },
	"buf.validate.BytesRules.ipv6":     func(c *Constraint, r rule) { c.address(r, "an IPv6 address", 16, 16) },
	"buf.validate.BytesRules.uuid":     func(c *Constraint, r rule) { c.address(r, "a UUID", 16, 16) },

	"buf.validate.StringRules.well_known_regex": func(c *Constraint, r rule) {
		c.Format = headerFormats[r.value.Enum()]
	},

	"buf.validate.FieldMaskRules.const":  func(c *Constraint, r rule) { c.paths(r, "The paths have to be") },
	"buf.validate.FieldMaskRules.in":     func(c *Constraint, r rule) { c.paths(r, "Each path has to be one of, or below") },
	"buf.validate.FieldMaskRules.not_in": func(c *Constraint, r rule) { c.paths(r, "No path may be one of, or below") },
}

// headerFormats are the values of buf.validate.KnownRegex.
var headerFormats = map[protoreflect.EnumNumber]string{1: "http_header_name", 2: "http_header_value"}

// loosen replaces the form of an HTTP header by what is left of it without strict: no line feed, carriage return or NUL.
func loosen(c *Constraint, r rule) {
	loose := map[string]string{"http_header_name": `^[^\x00\n\r]+$`, "http_header_value": `^[^\x00\n\r]*$`}[c.Format]
	if loose == "" || r.value.Bool() {
		return
	}
	c.Format = ""
	if c.Pattern == "" {
		c.Pattern = loose
		return
	}
	c.Words = appendClause(c.Words, "Must not contain line feeds, carriage returns or NUL")
}

func (c *Constraint) when(r rule, words string) {
	if r.value.Bool() {
		c.Words = appendClause(c.Words, words)
	}
}

func (c *Constraint) format(r rule) {
	if r.value.Bool() {
		c.Format = string(r.fd.Name())
	}
}

// atLeast raises the smallest number of bytes.
func (c *Constraint) atLeast(n uint64) {
	if c.MinBytes == nil || *c.MinBytes < n {
		c.MinBytes = &n
	}
}

func (c *Constraint) piece(r rule, verb string) {
	if n := len(r.value.Bytes()); n > 0 {
		c.atLeast(uint64(n))
		text, _ := r.text()
		c.Words = appendClause(c.Words, fmt.Sprintf("The bytes have to %s base64 %s", verb, text))
	}
}

func bytesPattern(c *Constraint, r rule) {
	pattern := r.value.String()
	if pattern == "" {
		return
	}
	if refusesEmpty(pattern) {
		c.atLeast(1)
	}
	c.Words = appendClause(c.Words, "The bytes have to match "+pattern)
}

func (c *Constraint) address(r rule, what string, least, most uint64) {
	if !r.value.Bool() {
		return
	}
	c.atLeast(least)
	if c.MaxBytes == nil || *c.MaxBytes > most {
		c.MaxBytes = &most
	}
	size := fmt.Sprintf("%d", least)
	if least != most {
		size = fmt.Sprintf("%d or %d", least, most)
	}
	c.Words = appendClause(c.Words, fmt.Sprintf("Has to be %s of %s bytes", what, size))
}

func (c *Constraint) paths(r rule, words string) {
	var paths []string
	if r.fd.IsList() {
		paths = r.texts()
	} else if text, ok := r.text(); ok {
		paths = strings.Split(text, ",")
	}
	c.Words = appendClause(c.Words, words+" "+strings.Join(paths, ", "))
}

func (r rule) count() *uint64 { return new(r.value.Uint()) }

func (r rule) bound(exclusive bool) *Bound {
	text, ok := r.text()
	if !ok {
		return nil
	}
	return &Bound{Value: text, Exclusive: exclusive}
}

// text spells a rule of one value; false where it cannot be spelt.
func (r rule) text() (string, bool) { return spell(r.fd, r.value, r.namesOf()) }

// texts spells a repeated rule. Nothing is left out of it but what cannot be spelt.
func (r rule) texts() []string {
	var texts []string
	list := r.value.List()
	for i := range list.Len() {
		if text, ok := spell(r.fd, list.Get(i), r.namesOf()); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// namesOf is the enum whose names the numbers of a rule stand for.
func (r rule) namesOf() protoreflect.EnumDescriptor {
	if r.fd.Parent().FullName() != "buf.validate.EnumRules" {
		return nil
	}
	return r.enum
}
