package streamable

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of bodies: mediaJSON is the one that is taken, and given where nothing precedes an answer; mediaEvents
// is that of an answer which says something before its end.
const (
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// checkMedia holds a POST's Content-Type, Content-Encoding and Accept against what this endpoint takes and gives.
func checkMedia(h http.Header) *refusal {
	switch {
	case !isJSON(h.Get("Content-Type")):
		return refuse(http.StatusUnsupportedMediaType,
			"the Content-Type is not JSON: send Content-Type: application/json (UTF-8)")
	case !isPlain(h["Content-Encoding"]):
		return refuse(http.StatusUnsupportedMediaType,
			"the body is compressed: send it without Content-Encoding")
	case !accepts(h["Accept"], mediaJSON):
		return refuse(http.StatusNotAcceptable,
			"Accept excludes the answer's media type: send Accept: application/json, text/event-stream")
	}
	return nil
}

// isJSON reports whether value is the media type application/json exactly, in UTF-8. The types that a browser sends
// across origins without a preflight (text/plain, forms) and JSON's relatives (application/json-patch+json) are not.
func isJSON(value string) bool {
	if value == mediaJSON { // as nearly all send it
		return true
	}
	media, params, err := mime.ParseMediaType(value)
	if err != nil || media != mediaJSON {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

// isPlain reports whether the content codings leave the body as it is.
func isPlain(values []string) bool {
	for _, v := range values {
		for coding := range strings.SplitSeq(v, ",") {
			if c := strings.TrimSpace(coding); c != "" && !strings.EqualFold(c, "identity") {
				return false
			}
		}
	}
	return true
}

// accepts reports whether an answer of a media type may be sent (RFC 9110 section 12.5.1): Accept is absent, or its most
// specific matching range has a weight above zero. The specification obliges the client to list both application/json and
// text/event-stream; what it does not list is simply never sent, so that a client which lists JSON alone, or */*, is
// served too.
func accepts(values []string, mediaType string) bool {
	best, accepted := -1, true
	for _, v := range values {
		for member := range strings.SplitSeq(v, ",") {
			specific, weight, ok := mediaRange(member, mediaType)
			if !ok {
				continue
			}
			if specific > best {
				best, accepted = specific, weight > 0
			} else if specific == best {
				accepted = accepted || weight > 0
			}
		}
	}
	return best >= 0 && accepted || blank(values)
}

// acceptsEvents reports whether the answer to a POST may be a stream: a client that does not say what it accepts gets one
// JSON text.
func acceptsEvents(values []string) bool { return !blank(values) && accepts(values, mediaEvents) }

// mediaRange reads one member of Accept. specific orders the ranges that admit a media type: 0 for */*, 1 for all of its
// kind, such as application/*, 2 for the type itself, -1 for all others.
func mediaRange(member, mediaType string) (specific int, weight float64, ok bool) {
	switch strings.Trim(member, " \t") { // as nearly all send it, without parameters
	case mediaType:
		return 2, 1, true
	case mediaJSON, mediaEvents:
		return -1, 1, true
	}
	media, params, err := mime.ParseMediaType(member)
	if err != nil {
		return 0, 0, false
	}
	weight = 1
	if q, given := params["q"]; given {
		if weight, err = strconv.ParseFloat(q, 64); err != nil {
			return 0, 0, false
		}
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	switch media {
	case "*/*":
		return 0, weight, true
	case kind + "/*":
		return 1, weight, true
	case mediaType:
		return 2, weight, true
	}
	return -1, weight, true
}

// acceptsGzip reports whether an answer may be compressed by gzip, and no other way is liked better that there is (RFC 9110
// section 12.5.3): it has a weight above zero that is not below that of the answer as it is. A client that does not say what it
// accepts gets the latter.
func acceptsGzip(values []string) bool {
	gzip, identity, others := -1.0, -1.0, -1.0 // below zero where they are not named
	for _, v := range values {
		for member := range strings.SplitSeq(v, ",") {
			coding, weight := codingWeight(member)
			switch coding {
			case "gzip", "x-gzip":
				gzip = max(gzip, weight)
			case "identity":
				identity = max(identity, weight)
			case "*":
				others = max(others, weight)
			}
		}
	}
	if gzip < 0 {
		gzip = others
	}
	if identity < 0 {
		identity = others
	}
	return gzip > 0 && gzip >= identity
}

// codingWeight reads one member of Accept-Encoding; what is malformed has no name.
func codingWeight(member string) (coding string, weight float64) {
	coding, param, given := strings.Cut(strings.ToLower(member), ";")
	if coding = strings.TrimSpace(coding); !given {
		return coding, 1
	}
	q, found := strings.CutPrefix(strings.TrimSpace(param), "q=")
	weight, err := strconv.ParseFloat(q, 64)
	if !found || err != nil || !(0 <= weight && weight <= 1) {
		return "", 0
	}
	return coding, weight
}

func blank(values []string) bool {
	for _, v := range values {
		if strings.TrimSpace(v) != "" {
			return false
		}
	}
	return true
}
