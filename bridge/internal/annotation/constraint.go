package annotation

// Constraint is what the rules of buf.validate (or of PGV) demand of one value. What is zero is not demanded. Values are
// spelt as ProtoJSON spells them, without quotes: numbers in decimal, bytes in base64, durations "3.5s", timestamps in RFC
// 3339, values of enums by their names (by number where they have none), a google.protobuf.Any by its type URL. They are
// exact, so nothing is cleaned of them but Words.
type Constraint struct {
	// Const is the one value that is allowed; nil for any.
	Const *string
	// In are the only values that are allowed, NotIn those that are not; nil for no such rule.
	In, NotIn []string
	// Min and Max bound a number, a duration or a timestamp. Where Min is above Max, values in between are not allowed.
	Min, Max *Bound
	// Finite refuses NaN and infinities.
	Finite bool
	// MinLength and MaxLength count the characters of a string, MinBytes and MaxBytes the bytes of a string or of bytes.
	MinLength, MaxLength, MinBytes, MaxBytes *uint64
	// Pattern is a regular expression of RE2 that has to match somewhere in a string. What bytes have to match is in Words.
	Pattern string
	// Prefix, Suffix and Contains are what a string has to have, NotContains what it must not. For bytes see Words.
	Prefix, Suffix, Contains, NotContains string
	// Format is the name of a well-known form of strings as the rule calls it: email, hostname, ip, ipv4, ipv6, uri, uri_ref,
	// address, uuid, tuuid, ulid, ip_with_prefixlen, …, host_and_port, protobuf_fqn, protobuf_dot_fqn, http_header_name,
	// http_header_value.
	Format string
	// MinItems and MaxItems count the items of a list or the entries of a map.
	MinItems, MaxItems *uint64
	// Unique forbids equal items.
	Unique bool
	// Items are for each item of a list, Keys and Values for those of a map; nil for none.
	Items, Keys, Values *Constraint
	// Words are what else is demanded, each a clause without a full stop of at most 200 characters: the messages of CEL
	// expressions, or the expressions. A clause begins with a capital letter, an expression or the name of a field as it is.
	Words []string
}

// Bound is one end of a range.
type Bound struct {
	// Value is the end.
	Value string
	// Exclusive says that the value itself is outside.
	Exclusive bool
}
