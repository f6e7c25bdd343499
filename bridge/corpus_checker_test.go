package bridge_test

import (
	"strings"
	"testing"
)

// TestInspectDefinition: the check of the corpus finds what it is to find. Each row spoils a sound tool in one place.
func TestInspectDefinition(t *testing.T) {
	t.Parallel()
	const sound = `{"name":"book_get","title":"Get","description":"Gets a book.","inputSchema":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Name."},"tags":{"type":"array","items":{"type":"string"}}},"required":["name"]},` +
		`"outputSchema":{"type":"object","properties":{"price":{"type":["number","string"]},"any":{}}}}`
	if faults := inspectDefinition([]byte(sound), portableInput, portableOutput); len(faults) > 0 {
		t.Fatalf("the sound tool: %q", faults)
	}
	for name, row := range map[string]struct{ old, new, want string }{
		"name with a dot":         {`"book_get"`, `"book.get"`, `name: "book.get"`},
		"long name":               {`"book_get"`, `"` + strings.Repeat("a", 45) + `"`, "name: "},
		"no description":          {`"Gets a book."`, `""`, "description: 0 characters"},
		"long description":        {`"Gets a book."`, `"` + strings.Repeat("a", 1025) + `"`, "description: 1025 characters"},
		"title null":              {`"Get"`, `null`, "/title: null"},
		"another member":          {`"title"`, `"icon":"x","title"`, "the member icon"},
		"root of another type":    {`"inputSchema":{"type":"object"`, `"inputSchema":{"type":"array","items":{}`, "the type of the root"},
		"root without properties": {`"outputSchema":{"type":"object","properties"`, `"outputSchema":{"type":"object","items"`, "no properties"},
		"anyOf at the root":       {`"required":["name"]`, `"required":["name"],"anyOf":[{"type":"object"}]`, "anyOf at the root"},
		"required null":           {`"required":["name"]`, `"required":null`, "null"},
		"required empty":          {`"required":["name"]`, `"required":[]`, "required is empty"},
		"required and absent":     {`"required":["name"]`, `"required":["nome"]`, "nome is required and no property"},
		"array without items":     {`"type":"array","items":{"type":"string"}`, `"type":"array"`, "an array without items"},
		"types on input":          {`"items":{"type":"string"}`, `"items":{"type":["string","null"]}`, "the type [string null]"},
		"no type":                 {`"items":{"type":"string"}`, `"items":{}`, "no type"},
		"keyword":                 {`"items":{"type":"string"}`, `"items":{"type":"string","pattern":"a"}`, "the keyword pattern"},
		"format":                  {`"items":{"type":"string"}`, `"items":{"type":"string","format":"uint64"}`, "the format uint64"},
		"enum of numbers":         {`"items":{"type":"string"}`, `"items":{"type":"string","enum":[1]}`, "the enum value 1"},
		"enum twice":              {`"items":{"type":"string"}`, `"items":{"type":"string","enum":["a","a"]}`, "the enum value a"},
		"enum empty":              {`"items":{"type":"string"}`, `"items":{"type":"string","enum":[]}`, "an enum of 0 values"},
		"key":                     {`"tags":`, `"@tags":`, `the property "@tags"`},
		"long text":               {`"Name."`, `"` + strings.Repeat("a", 257) + `"`, "a description of 257 characters"},
		"hidden text":             {`"Name."`, `"Na\u200bme."`, "the character U+200B"},
		"turned text":             {`"Name."`, `"Na\u202eme."`, "the character U+202E"},
		"control character":       {`"Name."`, `"Na\u0007me."`, "the character U+0007"},
		"tag":                     {`"Name."`, `"<b>Name</b>."`, "the tag <b>"},
		"required on output":      {`"any":{}}`, `"any":{}},"required":["any"]`, "the keyword required"},
		"dialect":                 {`"inputSchema":{`, `"inputSchema":{"$schema":"x",`, "the keyword $schema"},
		"too large":               {`"any":{}`, strings.Repeat(`"any":{},`, 1000) + `"any":{}`, "outputSchema: 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(sound, row.old) {
				t.Fatalf("no %s to spoil", row.old)
			}
			spoilt := strings.Replace(sound, row.old, row.new, 1)
			faults := inspectDefinition([]byte(spoilt), portableInput, portableOutput)
			if len(faults) == 0 || !strings.Contains(strings.Join(faults, "\n"), row.want) {
				t.Errorf("faults %q, want %q", faults, row.want)
			}
		})
	}
}

// TestInspectReferences: what only the rich profile has.
func TestInspectReferences(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ schema, want string }{
		"sound":    {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object"}}}`, ""},
		"dangling": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/B"}},"$defs":{"A":{"type":"object"}}}`, "#/$defs/B leads nowhere"},
		"foreign":  {`{"type":"object","properties":{"a":{"$ref":"https://example.com/a"}}}`, "leads nowhere"},
		"siblings": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A","type":"object"}},"$defs":{"A":{"type":"object"}}}`, "has siblings"},
		"unused":   {`{"type":"object","properties":{},"$defs":{"A":{"type":"object"}}}`, `the definition "A" is not used`},
		"pattern":  {`{"type":"object","properties":{"a":{"type":"string","pattern":"(?i)a"}}}`, "the pattern (?i)a"},
		"a root":   {`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`, "$ref at the root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := &inspector{}
			i.schema("inputSchema", []byte(row.schema), richInput)
			if all := strings.Join(i.faults, "\n"); (row.want == "") != (all == "") || !strings.Contains(all, row.want) {
				t.Errorf("faults %q, want %q", i.faults, row.want)
			}
		})
	}
}
