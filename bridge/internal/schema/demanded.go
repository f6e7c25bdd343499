package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// missingRoom is how many bytes are kept free for the words of [alsoRequired].
const missingRoom = 280

// alsoRequired tells the required fields of a request for which there is no room, by some of their names; "" of none.
func alsoRequired(missing []string) string {
	const named = 3
	if len(missing) == 0 {
		return ""
	}
	return "Also required: " + listSome(missing, named) + "."
}

// leftOut says as a cut which fields of the root are not shown, those that are required apart.
func leftOut(required, others []string) []string {
	var clauses []string
	if len(required) > 0 {
		clauses = append(clauses, number(uint64(len(required)), "required field")+" left out: "+list(required))
	}
	if len(others) > 0 {
		clauses = append(clauses, number(uint64(len(others)), "field")+" of the root left out: "+list(others))
	}
	return clauses
}

// endless returns the message that requires itself, directly or through others that are required, among those without which
// md cannot be complete; nil for none. No call can be made with such a request.
func endless(md protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	const open, closed = 1, 2
	state := map[protoreflect.FullName]int{}
	var look func(md protoreflect.MessageDescriptor) protoreflect.MessageDescriptor
	look = func(md protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
		numbers := md.RequiredNumbers()
		switch name := md.FullName(); {
		case numbers.Len() == 0 || state[name] == closed:
			return nil
		case state[name] == open:
			return md
		default:
			state[name] = open
			defer func() { state[name] = closed }()
		}
		for i := range numbers.Len() {
			if inner := md.Fields().ByNumber(numbers.Get(i)).Message(); inner != nil {
				if found := look(inner); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return look(md)
}

// endlessly says that a request cannot be complete, as words and as a cut; "" where it can.
func endlessly(md protoreflect.MessageDescriptor) (words, cut string) {
	found := endless(md)
	if found == nil {
		return "", ""
	}
	cut = "no call can be complete: " + string(found.Name()) + " requires itself"
	return "No call can be complete: " + string(found.Name()) + " requires itself.", cut
}
