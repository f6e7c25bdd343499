package server_test

import (
	"strings"
	"testing"
)

// TestStateOfOneResource: a state is good for the resource that it was made for, whatever else the params have.
func TestStateOfOneResource(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, office, `Ledger: asks {"requests":[{"key":"where","roots":{}}]} | {"text":"nothing owed"}`, nil)
	read := func(params string) string {
		return string(f.server.Handle(t.Context(), f.gate.Stream(),
			decode(t, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{`+params+`,`+canRoots+`}}}`)).Body)
	}
	answered := `"name":"x","inputResponses":{"where":{"roots":[]}},` + sealed.FindString(read(`"uri":"ledger://1999","name":"x"`))
	if body := read(`"uri":"ledger://2000",` + answered); !strings.Contains(body, `"code":-32602`) {
		t.Errorf("another one: %s", body)
	}
	if body := read(`"uri":"ledger://1999",` + answered); !strings.Contains(body, "nothing owed") {
		t.Errorf("the same: %s", body)
	}
}
