package catalog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestPlainNames is the table of what a name looks like when nothing is in its way.
func TestPlainNames(t *testing.T) {
	t.Parallel()
	for method, want := range map[protoreflect.FullName]string{
		"library.v1.LibraryService.GetBook":          "library_get_book",
		"library.v1.Library.GetBook":                 "library_get_book",
		"etcdserverpb.KV.Range":                      "kv_range",
		"etcdserverpb.Lease.LeaseGrant":              "lease_lease_grant",
		"a.Service.Get":                              "service_get",
		"Top.Get":                                    "top_get",
		"net.HTTPProxyService.GetHTTPProxy":          "http_proxy_get_http_proxy",
		"auth.OAuth2TokenService.IssueOAuth2Token":   "oauth2_token_issue_oauth2_token",
		"x.BookService.GetV1Beta1Book":               "book_get_v1beta1_book",
		"x.BookService.GetV1BetaBook":                "book_get_v1beta_book",
		"x.BookService.GetV2":                        "book_get_v2",
		"x.S3BucketService.ListURLs":                 "s3_bucket_list_urls",
		"x.VMService.ListVMs":                        "vm_list_vms",
		"x.IPService.AllocateIPv6Address":            "ip_allocate_ipv6_address",
		"x.GraphQLService.RunGraphQL":                "graphql_run_graphql",
		"x.snake_service.do_it":                      "snake_service_do_it",
		"x.Odd__Name_Service.__Get_":                 "odd_name_get",
		"x.MixedCASEService.getItNOW":                "mixed_case_get_it_now",
		"x.ABitOfEverythingService.Echo":             "a_bit_of_everything_echo",
		"x.KMSService.Sha256Sum":                     "kms_sha256_sum",
		"x._.__":                                     "rpc",
		"google.longrunning.Operations.GetOperation": "operations_get_operation",
	} {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			got := catalog.ToolNames([]catalog.Party{{Backend: "b", Method: method}})
			if got[0] != want {
				t.Errorf("got %q, want %q", got[0], want)
			}
		})
	}
}

// TestCollisions gives parties as `backend:method` and the names that they get, both in words.
func TestCollisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, parties, want string }{
		{"versions", "b:lib.v1.S.Get b:lib.v1beta1.S.Get b:lib.v1.S.List", "v1_s_get v1beta1_s_get s_list"},
		{"packages", "b:foo.v1.S.Get b:bar.v1.S.Get", "foo_v1_s_get bar_v1_s_get"},
		{"each its shortest", "b:foo.v1.S.Get b:bar.v1.S.Get b:foo.v2.S.Get", "foo_v1_s_get bar_v1_s_get v2_s_get"},
		{"no package", "b:S.Get b:a.S.Get", "s_get a_s_get"},
		{"suffix", "b:a.LibService.Get b:a.Lib.Get", "a_lib_get_2b011fbf a_lib_get_7936de86"},
		{"snake and camel", "b:a.S.GetIt b:a.S.Get_It", "a_s_get_it_981c1143 a_s_get_it_76bb272a"},
		{"backends", "eu:lib.v1.S.Get us:lib.v1.S.Get us:lib.v1.S.Put", "eu_s_get us_s_get s_put"},
		{"backends and packages", "eu:a.S.Get us:a.S.Get us:b.S.Get", "eu_s_get us_s_get b_s_get"},
		{"backends alike", "eu-1:a.S.Get eu.1:a.S.Get", "eu_1_a_s_get_ed2443fc eu_1_a_s_get_92195c1a"},
		{"package runs into a name", "b:foo.S.Get b:bar.S.Get b:x.FooS.Get", "foo_s_get_a6cbf8fd bar_s_get x_foo_s_get"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.Fields(c.want), catalog.ToolNames(parties(c.parties))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func parties(list string) []catalog.Party {
	var all []catalog.Party
	for _, p := range strings.Fields(list) {
		backend, method, _ := strings.Cut(p, ":")
		all = append(all, catalog.Party{Backend: backend, Method: protoreflect.FullName(method)})
	}
	return all
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"a.ThirtyFourCharactersLongAndNotMoreService.Get":            "thirty_four_characters_long_and_not_more_get",
		"a.FeaturestoreOnlineServingService.ReadFeatureValues":       "featurestore_read_feature_values_a11b77bc",
		"a.ShortService.AMethodWithANameThatGoesOnAndOnForEver":      "a_method_with_a_name_that_goes_ever_42685877",
		"a.MonitoringService.GetNotificationChannelVerificationCode": "get_notification_verification_code_be73c99b",
		"t.WorkflowService.RespondActivityTaskCanceledById":          "respond_activity_task_canceled_id_5395a4de",
		"t.WorkflowService.RespondActivityTaskCompletedById":         "respond_activity_task_completed_id_f43b376c",
		"a.S.PutOneBookOnTheUpperShelfOfAnotherLibraryOrRoom":        "put_one_book_another_library_room_da1b0042",
		"a.S.ToBeginWithAndForTheEndSomethingElseInAnyCaseTo":        "to_begin_end_something_any_case_to_5469acd3",
		"a.S.Getwithoutanywordsinitthatgoesonandonandon_Code":        "getwithoutanywordsinitthatgoes_code_5e346899",
		"a.S.Methodwithoutanywordsinitthatgoesonandonandon":          "methodwithoutanywordsinitthatgoeson_b236a276",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			if got := catalog.ToolNames(parties("b:" + method))[0]; got != want || len(got) > 44 {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := catalog.ToolNames(parties("other:" + method + " b:x.Y.Z"))[0]; got != want {
				t.Errorf("beside another method and behind another backend it is %q", got)
			}
		})
	}
}

var wellFormed = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// TestNamesOfAnyMethods is the rule of ToolNames for identifiers that are made to collide, in two orders.
func TestNamesOfAnyMethods(t *testing.T) {
	t.Parallel()
	identifier := rapid.SampledFrom([]string{
		"a", "A", "v1", "V1", "a_b", "AB", "Ab", "Service", "AService", "_", "x__y", "_1", "B2B", "Long" + strings.Repeat("Word", 12),
	})
	party := rapid.Custom(func(t *rapid.T) catalog.Party {
		parts := rapid.SliceOfN(identifier, 2, 5).Draw(t, "parts")
		return catalog.Party{
			Backend: rapid.SampledFrom([]string{"eu", "us", "eu-1", "eu.1", ""}).Draw(t, "backend"),
			Method:  protoreflect.FullName(strings.Join(parts, ".")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(party, 0, 40, rapid.ID).Draw(t, "parties")
		given := nameEach(t, all)
		for p, name := range nameEach(t, rapid.Permutation(all).Draw(t, "other order")) {
			if given[p] != name {
				t.Fatalf("%v is %q, in another order %q", p, given[p], name)
			}
		}
	})
}

func nameEach(t *rapid.T, parties []catalog.Party) map[catalog.Party]string {
	given, taken := map[catalog.Party]string{}, map[string]catalog.Party{}
	for i, name := range catalog.ToolNames(parties) {
		if len(name) > 44 || !wellFormed.MatchString(name) {
			t.Fatalf("%v is called %q", parties[i], name)
		}
		if other, ok := taken[name]; ok {
			t.Fatalf("%v and %v are both called %q", other, parties[i], name)
		}
		given[parties[i]], taken[name] = name, parties[i]
	}
	return given
}

// TestOnlyToolsTakeNames: what is a resource or a prompt alone, or nothing in the end, leaves the names to the tools, whoever
// is loaded first.
func TestOnlyToolsTakeNames(t *testing.T) {
	t.Parallel()
	tools := annotated(t, "t",
		"message M {} service AService { rpc Do(M) returns (M); rpc Re(M) returns (M); rpc In(M) returns (M); rpc Own(M) returns (M); }")
	others := annotated(t, "o", `message M {} service A {
		rpc Do(M) returns (M) { option (bridge.v1.method).prompt = {}; }
		rpc Re(M) returns (M) { option (bridge.v1.method).resources = { uri: "a://b" }; }
		rpc In(M) returns (M) { option (bridge.v1.method) = { required_capabilities: "nothing" }; }
		rpc Own(M) returns (M) { option (bridge.v1.method) = { tool { name: "a_in" } required_capabilities: "nothing" }; }
	}`)
	for _, sources := range [][]catalog.Source{{tools, others}, {others, tools}} {
		c := compile(t, catalog.Options{}, sources...)
		if diff := cmp.Diff([]string{"a_do", "a_in", "a_own", "a_re"}, names(c)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if prompt, resource := c.Prompts()[0].Definition.Name, c.Resources()[0].Definition.Name; prompt == "" || resource == "" {
			t.Errorf("prompt %q, resource %q", prompt, resource)
		}
	}
}
