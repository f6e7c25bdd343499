package jsonrpc_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// variantsOf returns spellings of key that some readers take for key: other
// case, Unicode case folding, a NUL or space behind, another composition.
func variantsOf(key string) []string {
	variants := []string{
		strings.ToUpper(key),
		strings.ToUpper(key[:1]) + key[1:],
		key[:len(key)-1] + strings.ToUpper(key[len(key)-1:]),
		key + `\u0000`, `\u0000` + key, key + " ", " " + key, key + `\u200b`, "\uFEFF" + key,
		key + `\u0301`, "_" + key, key + "_",
	}
	for from, to := range map[string]string{"s": "ſ", "k": "\u212a", "i": "ı", "e": "е", "o": "ο"} {
		if folded := strings.Replace(key, from, to, 1); folded != key {
			variants = append(variants, folded)
		}
	}
	return variants
}

// TestKeysMatchExactly replaces each key of the envelope by its variants
// (CVE-2026-27896, GO-2026-4770): the message is then one without that key.
func TestKeysMatchExactly(t *testing.T) {
	t.Parallel()
	const (
		request  = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`
		response = `{"jsonrpc":"2.0","id":1,"result":{}}`
		failure  = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","data":2}}`
	)
	tests := []struct {
		key, in string
		without func(jsonrpc.Message, *jsonrpc.Error) bool
	}{
		{"jsonrpc", request, refused},
		{"id", request, func(m jsonrpc.Message, err *jsonrpc.Error) bool {
			return err == nil && m.Kind == jsonrpc.KindNotification
		}},
		{"method", request, refused},
		{"params", request, func(m jsonrpc.Message, err *jsonrpc.Error) bool { return err == nil && m.Params == nil }},
		{"result", response, refused},
		{"error", failure, refused},
		{"code", failure, refused},
		{"message", failure, refused},
		{"data", failure, func(m jsonrpc.Message, err *jsonrpc.Error) bool { return err == nil && m.Error.Data == nil }},
	}
	for _, tt := range tests {
		for _, variant := range variantsOf(tt.key) {
			t.Run(tt.key+" as "+variant, func(t *testing.T) {
				t.Parallel()
				in := strings.Replace(tt.in, `"`+tt.key+`"`, `"`+variant+`"`, 1)
				if msg, err := jsonrpc.Decode([]byte(in), jsonrpc.Limits{}); !tt.without(msg, err) {
					t.Errorf("Decode(%s) = %+v, %v", in, msg, err)
				}
			})
		}
	}
}

// refused reports whether a message was an invalid request.
func refused(_ jsonrpc.Message, err *jsonrpc.Error) bool {
	return err != nil && err.Code == jsonrpc.CodeInvalidRequest
}

// TestKeysBesideTheirVariants adds each variant with another value: it changes
// nothing.
func TestKeysBesideTheirVariants(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		for _, variant := range variantsOf(key) {
			in := `{"` + variant + `":"x","jsonrpc":"2.0","id":1,"method":"m","params":{},"` + variant + `2":"x"}`
			msg, err := jsonrpc.Decode([]byte(in), jsonrpc.Limits{})
			if err != nil || msg.ID != jsonrpc.IntID(1) || msg.Method != "m" || string(msg.Params) != "{}" {
				t.Errorf("Decode(%s) = %+v, %v", in, msg, err)
			}
		}
	}
}
