package annotation_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Gets a book", "Gets a book"},
		{"Gets a book. Or not.", "Gets a book."},
		{"Gets a book, e.g. Moby Dick. Or not.", "Gets a book, e.g. Moby Dick."},
		{"Uses v1.2 of x.y.z. Then stops.", "Uses v1.2 of x.y.z."},
		{"Takes etc. and goes on. Then stops.", "Takes etc. and goes on."},
		{"Really? Yes.", "Really?"},
		{"(Gets a book.) Or not.", "(Gets a book.)"},
		{"No end here\n- an item. X", "No end here"},
		{"Either:\n- one\n- two", "Either…"},
		{"These are returned :\n\nFICTION.", "These are returned…"},
		{"Note: it ends. Or not.", "Note: it ends."},
		{"返回：", "返回…"},
		{":", ""},
		{"Größe des Buchs. Ändert nichts.", "Größe des Buchs."},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			if got := annotation.Sentence(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"short", "Gets a book.", 20, "Gets a book."},
		{"exact", "Gets a book.", 12, "Gets a book."},
		{"sentence", "Gets a book. Then it does more of it.", 20, "Gets a book."},
		{"two sentences", "One. Two. Three is long.", 12, "One. Two."},
		{"word", "Gets every book of the shelf", 20, "Gets every book of…"},
		{"sentence too short", "A. Then it goes on for very long indeed", 30, "A. Then it goes on for very…"},
		{"one long word", "Donaudampfschifffahrt", 6, "Donau…"},
		{"line", "Either:\n- one\n- two and more", 16, "Either:\n- one"},
		{"colon at the end", "One of these:", 20, "One of these…"},
		{"no sentence that announces", "Sets the kind. One of these:\n- fiction and more", 32, "Sets the kind."},
		{"announcement alone", "One of the following:\n- fiction", 24, "One of the following…"},
		{"colon inside", "One of:\n- a: b.\n- c and more", 18, "One of:\n- a: b."},
		{"characters, not bytes", "äöü äöü äöü", 8, "äöü äöü…"},
		{"nothing", "text", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := annotation.Cut(c.text, c.limit); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCutKeepsTheLimit(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a", "Book.", "größe", "e.g.", "\n", "what?", "(x)", "…", ".", "of:", ":"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), " ")
		limit := rapid.IntRange(-1, 60).Draw(t, "limit")
		got := annotation.Cut(text, limit)
		if utf8.RuneCountInString(got) > max(limit, 0) {
			t.Fatalf("Cut(%q, %d) = %q, longer than that", text, limit, got)
		}
		if strings.HasSuffix(got, ":") {
			t.Fatalf("Cut(%q, %d) = %q, which announces something", text, limit, got)
		}
		if !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
			t.Fatalf("Cut(%q, %d) = %q, not its beginning", text, limit, got)
		}
	})
}

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                   "",
		"GetBook":            "Get Book",
		"getBook":            "get Book",
		"get_book":           "get book",
		"_Get__Book_":        "Get Book",
		"HTTPProxy":          "HTTP Proxy",
		"GetHTTPProxy":       "Get HTTP Proxy",
		"ListURLs":           "List URLs",
		"BatchGetIDs":        "Batch Get IDs",
		"IDsToKeep":          "IDs To Keep",
		"OAuth2Token":        "OAuth2 Token",
		"GetOAuthClient":     "Get OAuth Client",
		"GetV1Beta1Book":     "Get V1Beta1 Book",
		"GetV1BetaBook":      "Get V1Beta Book",
		"v1beta1":            "v1beta1",
		"BookV2":             "Book V2",
		"UInt32Value":        "UInt32 Value",
		"IPv4Address":        "IPv4 Address",
		"gRPCStatus":         "gRPC Status",
		"S3Bucket":           "S3 Bucket",
		"EC2Instance":        "EC2 Instance",
		"Sha256Sum":          "Sha256 Sum",
		"X509Certificate":    "X509 Certificate",
		"HTTP2Server":        "HTTP2 Server",
		"K8sCluster":         "K8s Cluster",
		"KV":                 "KV",
		"PTransform":         "P Transform",
		"ABitOfEverything":   "A Bit Of Everything",
		"Range":              "Range",
		"2Fast":              "2 Fast",
		"GetB2BPrice":        "Get B2 B Price",
		"Größe":              "Gr e",
		"localhost:50051":    "localhost 50051",
		"ServerReflectionV1": "Server Reflection V1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, strings.Join(annotation.Words(name), " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHumanise(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"GetBook":          "Get book",
		"GetHTTPProxy":     "Get HTTP proxy",
		"ListOAuth2Tokens": "List OAuth2 tokens",
		"ABitOfEverything": "A bit of everything",
		"get_book":         "Get book",
		"gRPCStatus":       "gRPC status",
		"Ping":             "Ping",
		"___":              "___",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := annotation.Humanise(name); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
