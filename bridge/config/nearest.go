package config

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// nearest finds the only field whose name is at most two slips of the pen, and less than half of it, from a key; "" for none.
func nearest(key string, md protoreflect.MessageDescriptor) string {
	best, found, alone := 3, "", false
	given := plain(key)
	for i := range md.Fields().Len() {
		name := string(md.Fields().Get(i).Name())
		meant := plain(name)
		d := slips(given, meant, best+1)
		switch {
		case 2*d >= len(meant) || d > best:
		case d < best:
			best, found, alone = d, name, true
		default:
			alone = false
		}
	}
	if !alone {
		return ""
	}
	return found
}

// elsewhere finds where a key belongs that md does not have: below md, or else anywhere in a configuration. It returns the path of
// what has it, from there, the nearest; "" where nothing has.
func elsewhere(key string, md protoreflect.MessageDescriptor) string {
	if place := deeper(key, md); place != "" {
		return place
	}
	return deeper(key, (&configv1.Config{}).ProtoReflect().Descriptor())
}

// deeper looks for a key in what is below a message, breadth first.
func deeper(key string, md protoreflect.MessageDescriptor) string {
	type place struct {
		md   protoreflect.MessageDescriptor
		path string
	}
	seen := map[protoreflect.FullName]bool{md.FullName(): true}
	for queue := []place{{md: md}}; len(queue) > 0; queue = queue[1:] {
		fields := queue[0].md.Fields()
		if queue[0].path != "" && fields.ByName(protoreflect.Name(key)) != nil {
			return queue[0].path
		}
		for i := range fields.Len() {
			fd := fields.Get(i)
			path := strings.TrimPrefix(queue[0].path+"."+string(fd.Name()), ".")
			switch {
			case fd.IsMap():
				fd = fd.MapValue()
				path += "[…]"
			case fd.IsList():
				path += "[]"
			}
			within := fd.Message()
			if within == nil || seen[within.FullName()] || within.ParentFile().Package() != md.ParentFile().Package() {
				continue
			}
			seen[within.FullName()] = true
			queue = append(queue, place{within, path})
		}
	}
	return ""
}

// plain is a name without what its spelling adds.
func plain(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// slips is how many characters have to be put in, taken out or changed to make one text of the other, or some number of at
// least most if it is that many.
func slips(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := left
			if a[i] != b[j] {
				changed++
			}
			left = row[j+1]
			row[j+1] = min(changed, row[j]+1, left+1)
		}
	}
	return row[len(b)]
}
