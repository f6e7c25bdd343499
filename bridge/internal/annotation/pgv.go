package annotation

import "google.golang.org/protobuf/encoding/protowire"

// The extensions of protoc-gen-validate's validate/validate.proto. The first is that of FieldOptions (FieldRules), of
// OneofOptions (required) and of MessageOptions (disabled); the second of MessageOptions only (ignored).
const (
	extensionPGV        protowire.Number = 1071
	extensionPGVIgnored protowire.Number = 1072
)

// Numbers of buf.validate.FieldRules, and of its Ignore.
const (
	fieldRequired protowire.Number = 25
	fieldIgnore   protowire.Number = 27

	ignoreIfZero = 1
)

// lastRules is the highest number of a type's rules in PGV's FieldRules.
const lastRules protowire.Number = 22

// departure is where the rules of PGV for a type are not those of buf.validate, which descends from it and has kept the
// numbers of the rest.
type departure struct {
	// required and ignoreEmpty are flags that buf.validate has for the field as a whole; 0 for none.
	required, ignoreEmpty protowire.Number
	// gone has no counterpart; 0 for none.
	gone protowire.Number
	// items, keys and values are FieldRules themselves.
	items, keys, values protowire.Number
	// whole leaves the message itself out, as its flags are all it is for.
	whole bool
}

// departures are by the numbers of PGV's FieldRules; what is not here (bool, enum) is the same in both.
var departures = map[protowire.Number]departure{
	1: numeric, 2: numeric, 3: numeric, 4: numeric, 5: numeric, 6: numeric, 7: numeric, 8: numeric, 9: numeric, 10: numeric,
	11: numeric, 12: numeric,

	14: {ignoreEmpty: 26},                                   // string
	15: {ignoreEmpty: 14},                                   // bytes
	17: {required: 2, gone: 1, whole: true},                 // message
	18: {ignoreEmpty: 5, items: 4},                          // repeated
	19: {ignoreEmpty: 6, gone: 3, keys: 4, values: 5},       // map
	20: {required: 1}, 21: {required: 1}, 22: {required: 1}, // any, duration, timestamp
}

// numeric is the departure of all rules for numbers.
var numeric = departure{ignoreEmpty: 8}

// pgvOff tells whether a message's options switch PGV's rules off, all that are in it.
func pgvOff(message record) bool {
	return message.flag(extensionPGV) || message.flag(extensionPGVIgnored)
}

// fromPGV writes PGV's FieldRules as those of buf.validate. nested admits rules for items, keys and values, which have none
// of their own.
func fromPGV(rules record, nested bool) record {
	var out record
	var required, ignoreEmpty bool
	for number, p := range rules.parts() {
		if p.bytes == nil || number > lastRules {
			continue
		}
		d := departures[number]
		required = required || d.required != 0 && record(p.bytes).flag(d.required)
		ignoreEmpty = ignoreEmpty || d.ignoreEmpty != 0 && record(p.bytes).flag(d.ignoreEmpty)
		if !d.whole {
			out = appendMessage(out, number, d.translate(p.bytes, nested))
		}
	}
	if required {
		out = appendNumber(out, fieldRequired, protowire.EncodeBool(true))
	}
	if ignoreEmpty {
		out = appendNumber(out, fieldIgnore, ignoreIfZero)
	}
	return out
}

// translate copies the rules for a type without those that buf.validate does not have there.
func (d departure) translate(rules record, nested bool) record {
	out := record{}
	for number, p := range rules.parts() {
		switch number {
		case d.required, d.ignoreEmpty, d.gone:
		case d.items, d.keys, d.values:
			if nested {
				out = appendMessage(out, number, fromPGV(p.bytes, false))
			}
		default:
			out = append(out, p.whole...)
		}
	}
	return out
}

func appendMessage(b record, number protowire.Number, message record) record {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), message)
}

func appendNumber(b record, number protowire.Number, v uint64) record {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), v)
}
