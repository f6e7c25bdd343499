package content

import (
	"net/url"
	"regexp"
)

// maxURI bounds a URI, in bytes, at what every HTTP server takes (RFC 9110 section 4.1, rounded up).
const maxURI = 8 << 10

// absolute is a scheme, and then what a URI may consist of (RFC 3986 sections 2 and 3.1).
var absolute = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$`)

// uriOf returns what a backend gives as a URI if it is an absolute one; else "", as if it had given none.
func uriOf(given string) string {
	if len(given) > maxURI || !absolute.MatchString(given) {
		return ""
	}
	if _, err := url.Parse(given); err != nil {
		return ""
	}
	return given
}
