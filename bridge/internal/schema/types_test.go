package schema_test

import (
	"fmt"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// TestCommonTypesAreHinted has every type of google.type without a comment of its own at the field, each with words of what is
// said of it in place of the comment on the type.
func TestCommonTypesAreHinted(t *testing.T) {
	t.Parallel()
	hints := map[string]string{
		"Color": "red, green, blue and alpha", "Date": "year, month and day", "DateTime": "UTC offset or a time zone",
		"Decimal": `value as a string, e.g. \"2.5\"`, "Expr": "in CEL", "Fraction": "two integers", "Interval": "startTime on and before endTime",
		"LatLng": "in degrees", "LocalizedText": "BCP-47", "Money": "nanos (billionths)", "PhoneNumber": "E.164",
		"PostalAddress": "CLDR code", "TimeOfDay": "from 00:00:00", "TimeZone": "IANA",
	}
	for name, hint := range hints {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf("syntax = \"proto3\"; package google.type;\n// Comment on the type.\nmessage %s { string a = 1; }\n"+
				"message M { %[1]s it = 1; repeated %[1]s all = 2;\n// Its own.\n%[1]s own = 3; } %s", name, service)
			m := methodsOf(source(t, text))
			for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
				contains(t, schema.New(readerOf(t, m), profile).Input(m[0].Input()).JSON, []string{hint, "Its own."}, []string{"Comment on"})
			}
		})
	}
}
