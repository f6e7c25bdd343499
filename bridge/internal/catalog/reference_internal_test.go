package catalog

import (
	"strings"
	"testing"
)

// TestReferences: a reference leads to a schema within the schema, whatever way, or costs it.
func TestReferences(t *testing.T) {
	t.Parallel()
	const out, nowhere, endless = "leads out of it", "leads to no schema within it", "without end"
	for _, c := range []struct{ schema, want string }{
		{`{}`, ""},
		{`{"properties":{"a":{"$ref":"#"}}}`, ""},
		{`{"$defs":{"b":{}},"$ref":"#/$defs/b"}`, ""},
		{`{"$defs":{"b":true},"items":{"$ref":"#/$defs/b"}}`, ""},
		{`{"definitions":{"a/b~ c%":{}},"not":{"$ref":"#/definitions/a~1b~0%20c%25"}}`, ""},
		{`{"anyOf":[{},{"$ref":"#/anyOf/0"}]}`, ""},
		{`{"$defs":{"b":{"$anchor":"x"}},"properties":{"a":{"$ref":"#x"}}}`, ""},
		{`{"$defs":{"b":{"$dynamicAnchor":"x"}},"properties":{"a":{"$dynamicRef":"#x"}}}`, ""},
		{`{"definitions":{"b":{"$id":"#x"}},"properties":{"a":{"$ref":"#x"}}}`, ""},
		{`{"$id":"https://a.test/b","$defs":{"c":{}},"properties":{"a":{"$ref":"#/$defs/c"},"b":{"$recursiveRef":"#"}}}`, ""},
		{`{"$defs":{"b":{"$id":"https://a.test/c","$defs":{"d":{}},"items":{"$ref":"#/$defs/d"}}}}`, ""},
		{`{"default":{"$ref":"https://a.test"},"enum":[{"$ref":1}],"const":{"$ref":"#x"},"x":{"$ref":"y"}}`, ""},
		{`{"properties":{"$ref":{"type":"string"}}}`, ""},
		{`{"properties":{"a":{"$ref":"https://a.test/b.json"}}}`, out},
		{`{"properties":{"a":{"$ref":"b.json#/c"}}}`, out},
		{`{"properties":{"a":{"$ref":"/$defs/b"}},"$defs":{"b":{}}}`, out},
		{`{"properties":{"a":{"$ref":""}}}`, out},
		{`{"properties":{"a":{"$ref":1}}}`, out},
		{`{"$dynamicRef":"https://a.test"}`, out},
		{`{"dependencies":{"a":["b"],"c":{"$ref":"d"}}}`, out},
		{`{"allOf":[{"if":{"then":{"items":[{"$ref":"d"}]}}}]}`, out},
		{`{"$ref":"#/$defs/b"}`, nowhere},
		{`{"$ref":"#/$defs/b","$defs":{"b":1}}`, nowhere},
		{`{"$ref":"#/required","required":["a"]}`, nowhere},
		{`{"$ref":"#/anyOf/1","anyOf":[{}]}`, nowhere},
		{`{"$ref":"#/anyOf/00","anyOf":[{}]}`, nowhere},
		{`{"$ref":"#/anyOf/-1","anyOf":[{}]}`, nowhere},
		{`{"$ref":"#/%zz"}`, nowhere},
		{`{"$ref":"#x"}`, nowhere},
		{`{"$ref":"#x","default":{"$anchor":"x"}}`, nowhere},
		{`{"$ref":"#x","$defs":{"b":{"$id":"https://a.test/c","$anchor":"x"}}}`, nowhere},
		{`{"$defs":{"c":{}},"items":{"$id":"d","items":{"$ref":"#/$defs/c"}}}`, nowhere},
		{`{"$ref":"#"}`, endless},
		{`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, endless},
	} {
		err := checkReferences([]byte(c.schema))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.schema, err, c.want)
		}
	}
}
