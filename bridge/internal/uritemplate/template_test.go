package uritemplate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/uritemplate"
)

func parse(t testing.TB, text string) *uritemplate.Template {
	t.Helper()
	tmpl, err := uritemplate.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tmpl
}

// TestMatch gives templates, URIs and the variables as name=value, "-" for no match.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, uri, want string }{
		// Level 1.
		{"books://{id}/text", "books://42/text", "id=42"},
		{"books://{id}/text", "books://a%2Fb%20c/text", "id=a/b c"},
		{"books://{id}/text", "books://gr%C3%B6%C3%9Fe/text", "id=größe"},
		{"books://{id}/text", "books://größe/text", "id=größe"},
		{"books://{id}/text", "books://isbn:1,2/text", "id=isbn:1,2"},
		{"books://{id}/text", "books://a/b/text", "-"},
		{"books://{id}/text", "books:///text", "-"},
		{"books://{id}/text", "books://42/text/", "-"},
		{"books://{id}/text", "Books://42/text", "-"},
		{"books://{id}", "books://42?x=1", "-"},
		{"books://{id}", "books://42#x", "-"},
		{"books://{id}", "books://%ff", "-"},
		{"books://{id}", "books://%4", "-"},
		{"books://{id}", "books://%zz", "-"},
		{"books://{id}", "books://a b", "-"},
		{"books://{id}", "books://a\nb", "-"},
		{"a://{x}-{y}", "a://p-q-r", "x=p y=q-r"},
		{"a://{x}/{y}", "a://p/q", "x=p y=q"},
		{"a://{x}/and/{x}", "a://p/and/p", "x=p"},
		{"a://{x}/and/{x}", "a://p/and/q", "-"},
		// Level 2.
		{"file:///{+path}", "file:///a/b%20c.txt", "path=a/b c.txt"},
		{"file:///{+path}", "file:///a?b#c", "path=a?b#c"},
		{"file:///{+path}", "file:///", "-"},
		{"a://{+x}/end", "a://p/q/end", "x=p/q"},
		{"a://x{#part}", "a://x#p/q?r", "part=p/q?r"},
		{"a://x{#part}", "a://x", ""},
		{"a://x{#part}", "a://x#", "-"},
		// Level 3.
		{"a://{x,y}", "a://1,2", "x=1 y=2"},
		{"a://{x,y}", "a://1", "-"},
		{"a://{+x,y}", "a://1/2,3/4", "x=1/2 y=3/4"},
		{"a://x{#p,q}", "a://x#1,2", "p=1 q=2"},
		{"a://x{#p,q}", "a://x#1", "p=1"},
		{"a://x{.ext}", "a://x.tar.gz", "ext=tar.gz"},
		{"a://x{.p,q}", "a://x.1.2", "p=1 q=2"},
		{"a://x{.p,q}", "a://x.1", "p=1"},
		{"a://x{/p,q}", "a://x/1/2", "p=1 q=2"},
		{"a://x{/p,q}", "a://x/1", "p=1"},
		{"a://x{/p,q}", "a://x", ""},
		{"a://x{/p,q}", "a://x/1/2/3", "-"},
		{"a://x{;p,q}", "a://x;p=1;q", "p=1 q="},
		{"a://x{;p,q}", "a://x;q=2;p=1", "p=1 q=2"},
		{"a://x{?p,q}", "a://x?p=1&q=a%26b", "p=1 q=a&b"},
		{"a://x{?p,q}", "a://x?q=2&p=1", "p=1 q=2"},
		{"a://x{?p,q}", "a://x?q=", "q="},
		{"a://x{?p,q}", "a://x", ""},
		{"a://x{?p,q}", "a://x?", "-"},
		{"a://x{?p,q}", "a://x?p=1&p=2", "-"},
		{"a://x{?p,q}", "a://x?r=1", "-"},
		{"a://x{?p,q}", "a://x?p", "-"},
		{"a://x{?p,q}", "a://x?p=1+2", "p=1+2"},
		{"a://x?fixed=1{&p}", "a://x?fixed=1&p=2", "p=2"},
		{"a://x?fixed=1{&p}", "a://x?fixed=1", ""},
		{"a://{+path}{?q}", "a://p/q?q=1", "path=p/q q=1"},
		{"a://{+path}{?q}", "a://p/q?z=1", "path=p/q?z=1"},
		{"a://{book.id}", "a://1", "book.id=1"},
		{"a://x.y/{p}", "a://xzy/1", "-"},
	} {
		t.Run(c.template+" "+c.uri, func(t *testing.T) {
			t.Parallel()
			tmpl := parse(t, c.template)
			got := "-"
			if values, ok := tmpl.Match(c.uri); ok {
				got = written(tmpl, values)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// written lists values in the order of the template.
func written(tmpl *uritemplate.Template, values map[string]string) string {
	var list []string
	for _, name := range tmpl.Variables() {
		if v, ok := values[name]; ok {
			list = append(list, name+"="+v)
		}
	}
	return strings.Join(list, " ")
}

func TestBadTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              "scheme",
		"books":         "scheme",
		"{x}://a":       "scheme",
		"/a/{x}":        "scheme",
		"a://b":         "no variable",
		"a://{x":        "not closed",
		"a://{x{y}}":    "not closed",
		"a://x}":        "not open",
		"a://{}":        `a variable ""`,
		"a://{x,}":      `a variable ""`,
		"a://{x y}":     `a variable "x y"`,
		"a://{x.}":      `a variable "x."`,
		"a://{x%41}":    `a variable`,
		"a://{x*}":      "level 4",
		"a://{x:3}":     "level 4",
		"a://{=x}":      "reserves",
		"a://{|x}":      "reserves",
		"a://{x}{y}":    "follows another",
		"a://{?x}{+y}":  "follows another",
		"a://b c/{x}":   `no ' '`,
		"a://größe/{x}": "percent-encode",
		"a://%4/{x}":    `no '%'`,
		"a://\"/{x}":    "percent-encode",
		"a://" + strings.Repeat("a", 4000) + "{x}": "at most 2048",
		"a://" + many(33):                          "at most 32",
	} {
		_, err := uritemplate.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want one about %q", text, err, want)
		}
	}
	parse(t, "a://"+many(32))
}

// many returns an expression with n variables.
func many(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = "v" + strings.Repeat("x", i)
	}
	return "{" + strings.Join(names, ",") + "}"
}

func TestCheckURI(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"config://limits":                  "",
		"urn:isbn:0451450523":              "",
		"a://b/c?d=e%20f#g":                "",
		"test://static-text":               "",
		"":                                 "scheme",
		"limits":                           "scheme",
		"//host/x":                         "scheme",
		"a b://c":                          "scheme",
		"a://{x}":                          "percent-encode",
		"a://ü":                            "percent-encode",
		"a://%":                            "percent-encode",
		"a://" + strings.Repeat("a", 4000): "at most 2048",
	} {
		err := uritemplate.CheckURI(uri)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want %q", uri, err, want)
		}
	}
}

// TestCompare sorts templates that all match one URI: the first of them is meant.
func TestCompare(t *testing.T) {
	t.Parallel()
	want := []string{"a://books/{id}", "a://{x}/{y}", "a://{+all}"}
	for _, text := range want {
		if _, ok := parse(t, text).Match("a://books/1"); !ok {
			t.Errorf("%s does not match", text)
		}
	}
	want = append(want, "a:{x}", "a:{y}", "a:{x,y}", "a:{+x}")
	var given []*uritemplate.Template
	for _, text := range want {
		given = append(given, parse(t, text))
	}
	slices.Reverse(given)
	slices.SortFunc(given, uritemplate.Compare)
	var got []string
	for _, tmpl := range given {
		got = append(got, tmpl.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a://{x}", "a://{y}", true},
		{"a://{x}", "a://{+x}", false},
		{"a://{x}", "b://{x}", false},
		{"a://x{?p,q}", "a://x{?q,p}", true},
		{"a://x{?p}", "a://x{?q}", false},
	} {
		if same := parse(t, c.a).Pattern() == parse(t, c.b).Pattern(); same != c.same {
			t.Errorf("%s and %s: same is %t", c.a, c.b, same)
		}
	}
}

// TestLongURIs: what takes a reader that goes back and tries again long is no match at once.
func TestLongURIs(t *testing.T) {
	t.Parallel()
	tmpl := parse(t, "a://{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}/end")
	if _, ok := tmpl.Match("a://" + strings.Repeat("-", uritemplate.MaxURI-10)); ok {
		t.Error("matches")
	}
	if _, ok := tmpl.Match("a://" + strings.Repeat("x", uritemplate.MaxURI)); ok {
		t.Error("a URI over the limit matches")
	}
	all := parse(t, "a:{+x}")
	if _, ok := all.Match("a:" + strings.Repeat("x", uritemplate.MaxURI-2)); !ok {
		t.Error("a URI of the longest length does not match")
	}
}

// FuzzMatch reads any template and any URI: neither panics, and what matches has values of UTF-8 for known names alone.
func FuzzMatch(f *testing.F) {
	f.Add("books://{id}/text", "books://42/text")
	f.Add("a://x{?p,q}{#r}", "a://x?q=%20&p=#1")
	f.Add("a://{+x}/{y}{;z}{.w}{/v}", "a://1/2/3;z.4/5")
	f.Fuzz(func(t *testing.T, text, uri string) {
		tmpl, err := uritemplate.Parse(text)
		if err != nil {
			return
		}
		values, ok := tmpl.Match(uri)
		if !ok && values != nil {
			t.Fatalf("%q is no match and has values", uri)
		}
		for name, value := range values {
			if !slices.Contains(tmpl.Variables(), name) || strings.ToValidUTF8(value, "") != value {
				t.Fatalf("%q matches %q with %q=%q", uri, text, name, value)
			}
		}
	})
}
