package lifecycle_test

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// withParams returns a gate whose tool "q" repeats four arguments in headers.
func withParams() *lifecycle.Gate {
	return lifecycle.NewGate(lifecycle.Config{HeaderParams: func(tool string) []mcp.HeaderParam {
		if tool != "q" {
			return nil
		}
		return []mcp.HeaderParam{
			{Name: "Region", Path: []string{"region"}},
			{Name: "Count", Path: []string{"count"}, Integer: true},
			{Name: "Dry", Path: []string{"dryRun"}, Aliases: [][]string{{"dry_run"}}},
			{Name: "Shelf-ID", Path: []string{"book", "shelfId"}, Aliases: [][]string{nil, {"shelf_id", "shelf"}}},
		}
	}})
}

// postCall posts a call of a tool with headers besides those that every call has.
func postCall(t *testing.T, g *lifecycle.Gate, tool, arguments string, params map[string]string) *lifecycle.Refusal {
	t.Helper()
	h := headers("version=2026-07-28 method=tools/call name=" + tool)
	h.Params = params
	if arguments != "" {
		arguments = `,"arguments":` + arguments
	}
	_, refusal := g.Post(context.Background(), h, message(t, "1", "tools/call", `{"name":"`+tool+`"`+arguments+`,`+modernMeta+`}`), "")
	return refusal
}

// pairs makes header values from text such as "region=eu|count=7".
func pairs(text string) map[string]string {
	params := map[string]string{}
	for pair := range strings.SplitSeq(text, "|") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			params[name] = value
		}
	}
	return params
}

// Parts of the messages that say what is wrong with a header.
const (
	missing = "header is missing"
	differs = "does not match"
	foreign = "which the body does not have"

	noNumber = "is no number as JSON writes it"
)

// paramRow is a call with its headers, and a part of what is wrong with them, "" for nothing.
type paramRow struct{ arguments, params, fault string }

// TestParamHeaders: 2026-07-28 basic/transports/streamable-http, "Server
// Behavior for Custom Headers" and "Server Validation".
func TestParamHeaders(t *testing.T) {
	t.Parallel()
	checkParamRows(t, map[string]paramRow{
		"a string":                        {`{"region":"eu-west1"}`, "region=eu-west1", ""},
		"another string":                  {`{"region":"eu-west1"}`, "region=us-west1", `"us-west1" does not match the body's "eu-west1"`},
		"a string in another case":        {`{"region":"eu"}`, "region=EU", differs},
		"an escaped string":               {`{"region":"\u0065u"}`, "region=eu", ""},
		"a string beyond ASCII":           {`{"region":"Köln"}`, "region==?base64?S8O2bG4=?=", ""},
		"a string beyond ASCII, plain":    {`{"region":"Köln"}`, "region=Köln", "neither plain visible ASCII nor"},
		"an empty string":                 {`{"region":""}`, "region=", ""},
		"an empty header":                 {`{"region":"eu"}`, "region=", differs},
		"base64 of another":               {`{"region":"eu"}`, "region==?base64?dXM=?=", differs},
		"base64 where it need not be":     {`{"region":"Hello"}`, "region==?base64?SGVsbG8=?=", ""},
		"base64 without padding":          {`{"region":"Hello"}`, "region==?base64?SGVsbG8?=", "neither plain visible ASCII nor"},
		"base64 with foreign letters":     {`{"region":"Hello"}`, "region==?base64?SGVs!!!bG8=?=", "neither plain visible ASCII nor"},
		"base64 of no UTF-8":              {`{"region":"x"}`, "region==?base64?/w==?=", "neither plain visible ASCII nor"},
		"base64 without its prefix":       {`{"region":"SGVsbG8="}`, "region=SGVsbG8=", ""},
		"base64 without its suffix":       {`{"region":"=?base64?SGVsbG8="}`, "region==?base64?SGVsbG8=", ""},
		"base64 in capitals is a literal": {`{"region":"=?BASE64?SGVsbG8=?="}`, "region==?BASE64?SGVsbG8=?=", ""},
		"no header": {
			`{"region":"eu"}`, "", "the Mcp-Param-Region header is missing: it must repeat params.arguments.region",
		},
		"no value":                     {`{}`, "", ""},
		"no arguments":                 {``, "", ""},
		"a null":                       {`{"region":null}`, "", ""},
		"a header without a value":     {`{}`, "region=eu", foreign},
		"a header without arguments":   {``, "region=eu", foreign},
		"a header of a null":           {`{"region":null}`, "region=null", foreign},
		"a bad header without a value": {`{}`, "region=\x01", "neither plain visible ASCII nor"},
		"headers that nobody claims":   {`{"region":"eu"}`, "region=eu|tenant=\x01|count-2=7", ""},
	})
}

// TestParamHeaderKinds: integers are compared as numbers, all else as it is written, wherever it stands in the arguments.
func TestParamHeaderKinds(t *testing.T) {
	t.Parallel()
	checkParamRows(t, map[string]paramRow{
		"an integer":                    {`{"count":42}`, "count=42", ""},
		"an integer, negative":          {`{"count":-7}`, "count=-7", ""},
		"an integer with a fraction":    {`{"count":42}`, "count=42.0", ""},
		"a body with a fraction":        {`{"count":42.00}`, "count=42", ""},
		"an integer with an exponent":   {`{"count":4.2e1}`, "count=42", ""},
		"an integer as a string":        {`{"count":"42"}`, "count=42.0", ""},
		"minus zero":                    {`{"count":-0}`, "count=0", ""},
		"another integer":               {`{"count":42}`, "count=43", differs},
		"beyond 2^53":                   {`{"count":"9007199254740993"}`, "count=9007199254740992", differs},
		"beyond 2^53, the same":         {`{"count":"9007199254740993"}`, "count=9007199254740993.0", ""},
		"beyond 2^53, rounded":          {`{"count":9007199254740993}`, "count=9007199254740992e0", differs},
		"beyond 2^64":                   {`{"count":99999999999999999999}`, "count=99999999999999999999", ""},
		"beyond all":                    {`{"count":1e999999999}`, "count=1e99", differs},
		"a fraction that differs":       {`{"count":42}`, "count=42.5", differs},
		"a word":                        {`{"count":42}`, "count=forty-two", noNumber},
		"a string that is no number":    {`{"count":"042"}`, "count=042", noNumber},
		"a word, as in the body":        {`{"count":"many"}`, "count=many", noNumber},
		"nothing, as in the body":       {`{"count":""}`, "count=", noNumber},
		"a string is not compared so":   {`{"region":"42"}`, "region=42.0", differs},
		"a number for a string":         {`{"region":42}`, "region=42", ""},
		"an object for a string":        {`{"region":{}}`, "", ""},
		"an object, repeated":           {`{"region":[]}`, "region=x", differs},
		"true":                          {`{"dryRun":true}`, "dry=true", ""},
		"false":                         {`{"dryRun":false}`, "dry=false", ""},
		"false without a header":        {`{"dryRun":false}`, "", missing},
		"True":                          {`{"dryRun":true}`, "dry=True", differs},
		"by another spelling":           {`{"dry_run":true}`, "dry=true", ""},
		"by another spelling, missing":  {`{"dry_run":true}`, "", missing},
		"nested":                        {`{"book":{"shelfId":"s"}}`, "shelf-id=s", ""},
		"nested, missing":               {`{"book":{"shelfId":"s"}}`, "", "params.arguments.book.shelfId"},
		"nested, by another spelling":   {`{"book":{"shelf":"s"}}`, "shelf-id=t", differs},
		"nested in nothing":             {`{"book":null}`, "", ""},
		"nested in a list":              {`{"book":[{"shelfId":"s"}]}`, "", ""},
		"arguments written as a string": {`"{\"region\":\"eu\"}"`, "region=us", differs},
		"an object written as a string": {`{"book":"{\"shelfId\":\"s\"}"}`, "", missing},
		"arguments of another kind":     {`7`, "", ""},
		"all of them": {
			`{"region":"eu","count":1,"dryRun":true,"book":{"shelfId":"s"}}`, "region=eu|count=1|dry=true|shelf-id=s", "",
		},
		"the last of them": {
			`{"region":"eu","count":1,"dryRun":true,"book":{"shelfId":"s"}}`, "region=eu|count=1|dry=true|shelf-id=t", "Shelf-ID",
		},
	})
}

// TestParamHeaderSpellings: a header repeats an integer in a spelling of JSON's, or not at all.
func TestParamHeaderSpellings(t *testing.T) {
	t.Parallel()
	rows := map[string]paramRow{}
	for _, good := range []string{"42", "42.0", "42.000", "4.2e1", "4.2E+1", "420e-1", "0.42e2"} {
		rows[good] = paramRow{`{"count":42}`, "count=" + good, ""}
	}
	for _, bad := range []string{
		"042", "0042", "+42", "42.", ".42e2", "042.0", "0x2a", "0X2A", "0b101010", "0o52", "4_2", "4,2e1", "42e", "4.2e+", "--42", "-", "NaN",
		"Infinity", "42 0", "42\t", "\u0664\u0662", "42f", "\"42\"", "[42]", "1e1e1", "", "00", "-042", "42" + strings.Repeat("0", 70),
	} {
		rows[bad] = paramRow{`{"count":42}`, "count=" + "=?base64?" + base64.StdEncoding.EncodeToString([]byte(bad)) + "?=", noNumber}
	}
	checkParamRows(t, rows)
}

// checkParamRows plays each row as a subtest.
func checkParamRows(t *testing.T, rows map[string]paramRow) {
	t.Helper()
	for name, tt := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusal := postCall(t, withParams(), "q", tt.arguments, pairs(tt.params))
			if tt.fault == "" {
				accepted(t, refusal)
				return
			}
			if statusOf(refusal) != 400 {
				t.Fatalf("got %+v", refusal)
			}
			checkError(t, refusal.Error, -32020, tt.fault)
		})
	}
}

// TestParamHeadersElsewhere: only tools/call of a tool that has them, and only
// in the modern era.
func TestParamHeadersElsewhere(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), withParams()
	accepted(t, postCall(t, g, "other", `{"region":"eu"}`, pairs("region=us")))
	accepted(t, postCall(t, lifecycle.NewGate(lifecycle.Config{}), "q", `{"region":"eu"}`, nil))
	h := headers("version=2026-07-28 method=prompts/get name=q param.region=us")
	_, refusal := g.Post(ctx, h, message(t, "1", "prompts/get", `{"name":"q","arguments":{"region":"eu"},`+modernMeta+`}`), "")
	accepted(t, refusal)
	h = headers("param.region=us session=" + open(t, g, ""))
	_, refusal = g.Post(ctx, h, message(t, "1", "tools/call", `{"name":"q","arguments":{"region":"eu"}}`), "")
	accepted(t, refusal)
	_, err := begin(t, g, g.Stream(), message(t, "1", "tools/call", `{"name":"q","arguments":{"region":"eu"},`+modernMeta+`}`))
	checkError(t, err, 0, "")
}

// TestParamHeaderRoundTrip: any value, encoded as the specification says,
// matches itself and no other.
func TestParamHeaderRoundTrip(t *testing.T) {
	t.Parallel()
	g := withParams()
	encode := func(text string) string {
		plain := !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) && strings.TrimSpace(text) == text
		if plain && !strings.HasPrefix(text, "=?base64?") {
			return text
		}
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	rapid.Check(t, func(rt *rapid.T) {
		region, other := rapid.String().Draw(rt, "region"), rapid.String().Draw(rt, "other")
		count := rapid.Int64Range(-1<<53+1, 1<<53-1).Draw(rt, "count")
		arguments := jsonrpc.AppendString([]byte(`{"region":`), region)
		arguments = append(strconv.AppendInt(append(arguments, `,"count":`...), count, 10), '}')
		number := strconv.FormatInt(count, 10)
		if refusal := postCall(t, g, "q", string(arguments), map[string]string{"region": encode(region), "count": number}); refusal != nil {
			rt.Error(refusal.Error)
		}
		refusal := postCall(t, g, "q", string(arguments), map[string]string{"region": encode(other), "count": number})
		if (refusal != nil) != (other != region) {
			rt.Errorf("%q for %q: %+v", other, region, refusal)
		}
	})
}
