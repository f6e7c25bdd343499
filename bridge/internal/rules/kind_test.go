package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// kinds breaks each kind of rule; want is what a model is told of it.
var kinds = []struct {
	name      string
	message   protoreflect.Name
	arguments string
	want      []string
}{
	{"nothing given", "Order", `{}`, nil},
	{
		"all is well", "Order",
		`{"minLen":"abc","pattern":"Ab <12>","greater":11,"tagList":["aa","bb"],"stock":{"a":1},"switchedOff":"x","byFive":10,"sku":"AB-1234"}`,
		nil,
	},
	{"min_len", "Order", `{"minLen":"é"}`, []string{"minLen: must be at least 3 characters [string.min_len]"}},
	{"pattern", "Order", `{"pattern":"x"}`, []string{"pattern: must match regex pattern `^[A-Z][a-z]+ <[0-9]{2}>$` [string.pattern]"}},
	{"gt", "Order", `{"greater":10}`, []string{"greater: must be greater than 10 [int32.gt]"}},
	{"gt and lte", "Order", `{"bounded":2.6}`, []string{"bounded: must be greater than 0 and less than or equal to 2.5 [double.gt_lte]"}},
	{"in", "Order", `{"inList":"blue"}`, []string{"inList: must be in list [red, green] [string.in]"}},
	{"enum not_in", "Order", `{"notRed":"COLOR_RED"}`, []string{"notRed: must not be one of COLOR_RED [enum.not_in]"}},
	{"enum in", "Order", `{"primary":"COLOR_GREEN"}`, []string{"primary: must be one of COLOR_RED, COLOR_BLUE [enum.in]"}},
	{"enum const", "Order", `{"onlyBlue":"COLOR_RED"}`, []string{"onlyBlue: must be COLOR_BLUE [enum.const]"}},
	{"list and items", "Order", `{"tagList":["aa","b","aa","c","dd"]}`, []string{
		"tagList: must contain no more than 4 item(s) [repeated.max_items]",
		"tagList: must contain unique items [repeated.unique]",
		"tagList[1]: must be at least 2 characters [string.min_len]",
		"tagList[3]: must be at least 2 characters [string.min_len]",
	}},
	{"map", "Order", `{"stock":{"z":0,"a":1,"b\"1":1,"Q":0}}`, []string{
		"stock[\"Q\"]: the key must match regex pattern `^[a-z]*$` [string.pattern]",
		`stock["Q"]: must be greater than or equal to 1 [int32.gte]`,
		"stock[\"b\\\"1\"]: the key must match regex pattern `^[a-z]*$` [string.pattern]",
		`stock["z"]: must be greater than or equal to 1 [int32.gte]`,
	}},
	{"keys that are no strings", "Order", `{"itemsById":{"10":{},"9":{},"-3":{}},"itemsByFlag":{"true":{},"false":{}},` +
		`"itemsByNumber":{"10":{},"9":{}}}`, []string{
		`itemsById["-3"].productName: must be at least 1 characters [string.min_len]`,
		`itemsById["9"].productName: must be at least 1 characters [string.min_len]`,
		`itemsById["10"].productName: must be at least 1 characters [string.min_len]`,
		`itemsByFlag["false"].productName: must be at least 1 characters [string.min_len]`,
		`itemsByFlag["true"].productName: must be at least 1 characters [string.min_len]`,
		`itemsByNumber["9"].productName: must be at least 1 characters [string.min_len]`,
		`itemsByNumber["10"].productName: must be at least 1 characters [string.min_len]`,
	}},
	{"nested", "Order", `{"inner":{"more":[{"productName":"a"},{"productName":"a","count":-1}]},"firstItem":{}}`, []string{
		"firstItem.productName: must be at least 1 characters [string.min_len]",
		"inner.more[1].count: must be greater than or equal to 0 [int32.gte]",
	}},
	{"duration", "Order", `{"waitTime":"61s"}`, []string{"waitTime: must be less than 60s [duration.lt]"}},
	{"timestamp", "Order", `{"since":"1969-01-01T00:00:00Z"}`, []string{"since: must be greater than 1970-01-01T00:00:00Z [timestamp.gt]"}},
	{"wrapper", "Order", `{"wrapped":"nobody"}`, []string{"wrapped: must be a valid email address [string.email]"}},
	{
		"any", "Order", `{"payload":{"@type":"google.protobuf.Empty"}}`,
		[]string{"payload: must have one of the types type.googleapis.com/shop.Item [any.in]"},
	},
	{"field mask", "Order", `{"mask":"pattern"}`, []string{"mask: must only contain paths in [min_len] [field_mask.in]"}},
	{"own rule", "Order", `{"own":"x"}`, []string{`own: must not be "x" [own]`}},
	{"own expression", "Order", `{"expression":"abc"}`, []string{`expression: "this.size() < 3" returned false [this.size() < 3]`}},
	{"predefined", "Order", `{"sku":"1"}`, []string{`sku: must be a stock number such as "AB-1234" [string.sku]`}},
	{"predefined in a message", "Order", `{"byFive":7}`, []string{"byFive: must be a multiple of 5 [int32.multiple_of]"}},
	{"bytes", "Order", `{"blob":"AAAA"}`, []string{"blob: must be at most 2 bytes [bytes.max_len]"}},
	{"required", "Must", `{"quantity":1}`, []string{
		": unit_price and quantity belong together [must.sum]",
		": one of byName, byId must be set [message.oneof]",
		"title: is required [required]",
		"mainItem: is required [required]",
		"names: must contain at least 1 item(s) [repeated.min_items]",
		": exactly one of firstChoice, secondChoice is required [required]",
	}},
	{"below a message", "Must", `{"title":"a","mainItem":{"productName":"b"},"names":["a"],` +
		`"secondChoice":"","byName":"n","inner":{"title":"a","mainItem":{},"names":["a"],"byName":"a","byId":"b"}}`, []string{
		"inner: only one of byName, byId can be set [message.oneof]",
		"inner.mainItem.productName: must be at least 1 characters [string.min_len]",
		"inner: exactly one of firstChoice, secondChoice is required [required]",
	}},
	{"only a oneof", "Choice", `{}`, []string{": exactly one of name is required [required]"}},
	{"only a message", "Whole", `{"name":"x"}`, []string{`: "this.name != 'x'" returned false [this.name != 'x']`}},
}

// TestKinds breaks each kind of rule, wherever the descriptors are from.
func TestKinds(t *testing.T) {
	t.Parallel()
	for origin, files := range origins(t) {
		set := rules.NewSet()
		for _, tt := range kinds {
			t.Run(origin+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				md := message(t, files, tt.message)
				if diff := cmp.Diff(tt.want, broken(t, set.Checker(md), request(t, md, tt.arguments))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}
