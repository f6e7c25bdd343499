//go:build real

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tests of this file need servers that somebody else wrote; .ci/run starts them and sets the variables.

// address returns what .ci/run said of a real server, which must be running when these tests are asked for.
func address(t *testing.T, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Fatalf("%s is not set: start the server and say where it is, as .ci/run does", variable)
	}
	return value
}

// TestRealOpenFGA drives OpenFGA, described by its own reflection, through tools/call alone: a store, an authorization
// model, a relationship tuple, the check that they decide, and the stream of what a user may see.
func TestRealOpenFGA(t *testing.T) {
	url := startServe(t, "--backend", address(t, "OPENFGA_GRPC"), "--plaintext")
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { checkOpenFGA(t, connectHTTP(t, url, version)) })
	}
}

func checkOpenFGA(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	store := callJSON(t, s, "open_fga_create_store", `{"name":"documents"}`)
	id := store["id"].(string)
	model := callJSON(t, s, "open_fga_write_authorization_model", `{"store_id":"`+id+`","schema_version":"1.1","type_definitions":[
		{"type":"user"},
		{"type":"document","relations":{"reader":{"this":{}}},
		 "metadata":{"relations":{"reader":{"directly_related_user_types":[{"type":"user"}]}}}}]}`)
	if model["authorization_model_id"] == "" {
		t.Fatalf("no model id in %v", model)
	}
	callJSON(t, s, "open_fga_write", `{"store_id":"`+id+`","writes":{"tuple_keys":[
		{"user":"user:anne","relation":"reader","object":"document:plan"},
		{"user":"user:anne","relation":"reader","object":"document:report"}]}}`)
	for user, want := range map[string]bool{"user:anne": true, "user:bob": false} {
		got := callJSON(t, s, "open_fga_check", `{"store_id":"`+id+`","tuple_key":
			{"user":"`+user+`","relation":"reader","object":"document:plan"}}`)
		if got["allowed"] != want {
			t.Errorf("check of %s answered %v, want allowed=%v", user, got, want)
		}
	}
	for user, want := range map[string]string{"user:anne": "[document:plan document:report]", "user:bob": "[]"} {
		listed := callJSON(t, s, "open_fga_streamed_list_objects",
			`{"store_id":"`+id+`","type":"document","relation":"reader","user":"`+user+`"}`)
		seen := []string{}
		for _, item := range listed["items"].([]any) {
			seen = append(seen, item.(map[string]any)["object"].(string))
		}
		slices.Sort(seen) // they come as they are found
		if fmt.Sprint(seen) != want {
			t.Errorf("%s sees %v, want %s", user, listed, want)
		}
	}
	text := callError(t, s, "open_fga_check", `{"store_id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","tuple_key":
		{"user":"user:anne","relation":"reader","object":"document:plan"}}`)
	for _, part := range []string{"store", "outcome: executed"} {
		if !strings.Contains(text, part) {
			t.Errorf("a check in a store that does not exist says %s, without %q", text, part)
		}
	}
}

// TestRealEtcd drives etcd, which has no reflection, with descriptors from a set and from its sources: bytes go in and come
// back.
func TestRealEtcd(t *testing.T) {
	backend := []string{"--backend", address(t, "ETCD_GRPC"), "--plaintext"}
	t.Run("protos", func(t *testing.T) {
		sources := []string{"--proto", "etcd/api/etcdserverpb/rpc.proto"}
		for _, path := range filepath.SplitList(address(t, "ETCD_PROTO_PATH")) {
			sources = append(sources, "--proto-path", path)
		}
		checkEtcd(t, startServe(t, append(sources, backend...)...))
	})
	t.Run("descriptor set", func(t *testing.T) {
		set := "../../../shared/corpus/etcd.binpb"
		if _, err := os.Stat(set); err != nil {
			t.Skipf("the collection of descriptor sets is not here: %v", err)
		}
		checkEtcd(t, startServe(t, append(backend, "--descriptor-set", set)...))
	})
}

func checkEtcd(t *testing.T, url string) {
	t.Helper()
	s := connectHTTP(t, url, "2026-07-28")
	key := base64.StdEncoding.EncodeToString([]byte("bridge/\x00\xff" + t.Name()))
	value := base64.StdEncoding.EncodeToString([]byte{0, 1, 2, 0xfe, 0xff})
	callJSON(t, s, "kv_put", `{"key":"`+key+`","value":"`+value+`"}`)
	got := callJSON(t, s, "kv_range", `{"key":"`+key+`"}`)
	kvs, err := json.Marshal(got["kvs"])
	if err != nil {
		t.Fatal(err)
	}
	var pairs []struct{ Key, Value string }
	if err := json.Unmarshal(kvs, &pairs); err != nil || len(pairs) != 1 || pairs[0].Key != key || pairs[0].Value != value {
		t.Fatalf("range answered %v, want the pair that was put", got)
	}
}
