package streamable

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// What may be forwarded of one request: so many values, and so many bytes of names and values together. Servers commonly
// refuse more than 8 KiB of metadata.
const (
	maxForwarded      = 32
	maxForwardedBytes = 8 << 10
)

// peerOf describes who has sent a request, as its connection knows him.
func peerOf(r *http.Request) lifecycle.Peer {
	address, port := addressOf(r.RemoteAddr)
	return lifecycle.Peer{
		Transport:       "tcp",
		Protocol:        "http",
		ProtocolVersion: versionOf(r.ProtoMajor, r.ProtoMinor),
		Address:         address,
		Port:            port,
	}
}

// versionOf names a version of HTTP as it calls itself: from 2 on without a minor one.
func versionOf(major, minor int) string {
	switch {
	case major == 1 && minor == 1:
		return "1.1"
	case major >= 2:
		return strconv.Itoa(major)
	}
	return strconv.Itoa(major) + "." + strconv.Itoa(minor)
}

// addressOf takes host:port apart; "" and 0 where it is none, as on a Unix socket.
func addressOf(remote string) (address string, port int) {
	colon := strings.LastIndexByte(remote, ':')
	if colon < 0 {
		return "", 0
	}
	port, err := strconv.Atoi(remote[colon+1:])
	address = remote[:colon]
	if bracketed := strings.HasPrefix(address, "[") && strings.HasSuffix(address, "]"); bracketed {
		address = address[1 : len(address)-1]
	}
	if err != nil || address == "" || port < 0 {
		return "", 0
	}
	return address, port
}

// forwarded takes the headers out of a request's head that some backend may be sent, or says which of them cannot be
// metadata. A value that gRPC would refuse, or another server would read in another way, is the client's to put right;
// it is never repeated.
func (h *Handler) forwarded(head http.Header) (map[string][]string, *refusal) {
	var taken map[string][]string
	count, size := 0, 0
	for _, name := range h.toForward() {
		values := head[name]
		if len(values) == 0 {
			continue
		}
		count += len(values)
		for _, v := range values {
			size += len(name) + len(v)
		}
		if refused := checkForwarded(name, values, count, size); refused != nil {
			return nil, refused
		}
		if taken == nil {
			taken = map[string][]string{}
		}
		taken[name] = trimmed(values)
	}
	return taken, nil
}

// checkForwarded holds the values of a header against what metadata may be; count and size are those of all headers that
// are forwarded, this one included.
func checkForwarded(name string, values []string, count, size int) *refusal {
	switch {
	case slices.ContainsFunc(values, unprintable):
		return refuse(http.StatusBadRequest,
			"the header %s has a character outside printable ASCII, and backends could not be sent it: encode it, such as by base64", name)
	case count > maxForwarded:
		return refuse(http.StatusBadRequest,
			"with the header %s there are more than %d values for backends: send fewer", name, maxForwarded)
	case size > maxForwardedBytes:
		return refuse(http.StatusBadRequest,
			"with the header %s there are more than %d bytes of headers for backends: send less", name, maxForwardedBytes)
	}
	return nil
}

// unprintable reports a value with a character that metadata cannot have. White space at its ends does not belong to it:
// see [first].
func unprintable(value string) bool {
	value = strings.Trim(value, " \t")
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return true
		}
	}
	return false
}

// trimmed returns the values without white space at their ends.
func trimmed(values []string) []string {
	trim := func(v string) string { return strings.Trim(v, " \t") }
	if !slices.ContainsFunc(values, func(v string) bool { return trim(v) != v }) {
		return values
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = trim(v)
	}
	return all
}
