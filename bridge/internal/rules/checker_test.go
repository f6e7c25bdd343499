package rules_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// broken checks arguments and returns what they violate, "path: reason [rule]" each.
func broken(t testing.TB, c *rules.Checker, wire []byte) []string {
	t.Helper()
	err := c.Check(t.Context(), wire)
	if err == nil {
		return nil
	}
	var v *rules.Violations
	if !errors.As(err, &v) {
		t.Fatalf("not a violation: %v", err)
	}
	var list []string
	for _, one := range v.List {
		list = append(list, one.Path+": "+one.Reason+" ["+one.Rule+"]")
	}
	return list
}

// TestReach: only what can come upon a rule has a checker, in whatever order it is asked for.
func TestReach(t *testing.T) {
	t.Parallel()
	want := map[protoreflect.Name]bool{
		"Order": true, "Must": true, "Item": true, "Ring": true, "Bearer": true, "Choice": true, "Whole": true,
		"Plain": false, "Cycle": false,
	}
	orders := [][]protoreflect.Name{
		{"Order", "Must", "Item", "Ring", "Bearer", "Choice", "Whole", "Plain", "Cycle"},
		{"Cycle", "Plain", "Whole", "Choice", "Bearer", "Ring", "Item", "Must", "Order"},
		{"Ring", "Order", "Plain", "Bearer"},
	}
	for origin, files := range origins(t) {
		for _, order := range orders {
			set := rules.NewSet()
			for _, name := range order {
				if got := set.Checker(message(t, files, name)) != nil; got != want[name] {
					t.Errorf("%s, %v: %s has a checker: %v, want %v", origin, order, name, got, want[name])
				}
			}
		}
	}
}

// TestNoChecker: nothing is found fault with where there is nothing to check.
func TestNoChecker(t *testing.T) {
	t.Parallel()
	c := rules.NewSet().Checker(message(t, shop(t), "Plain"))
	if err := c.Check(t.Context(), []byte("\xff")); c != nil || err != nil {
		t.Errorf("checker %v, error %v", c, err)
	}
}

// TestFaults: rules that cannot be evaluated are no violation, at each call.
func TestFaults(t *testing.T) {
	t.Parallel()
	for origin, files := range origins(t) {
		for name, text := range map[protoreflect.Name]string{"Divided": "division by zero"} {
			t.Run(origin+"/"+string(name), func(t *testing.T) {
				t.Parallel()
				md := message(t, files, name)
				c := rules.NewSet().Checker(md)
				for range 2 {
					err := c.Check(t.Context(), nil)
					var v *rules.Violations
					if err == nil || errors.As(err, &v) || !strings.Contains(err.Error(), "shop."+string(name)) || !strings.Contains(err.Error(), text) {
						t.Errorf("error %v, want one of the rules of %s: %s", err, name, text)
					}
				}
				if first, again := c.Faulted(), c.Faulted(); first || !again {
					t.Errorf("faulted before: %v, then %v", first, again)
				}
			})
		}
	}
}

// TestUnreadable: wire that is no such message is no violation.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	err := rules.NewSet().Checker(message(t, shop(t), "Item")).Check(t.Context(), []byte("\x0a\x05a"))
	var v *rules.Violations
	if err == nil || errors.As(err, &v) {
		t.Errorf("error %v", err)
	}
}

// TestLarge: a request that breaks a rule with every two bytes does not take a hundred times its memory.
func TestLarge(t *testing.T) {
	t.Parallel()
	c := rules.NewSet().Checker(message(t, shop(t), "Order"))
	got := broken(t, c, []byte(strings.Repeat("\x4a\x01a", 50_000)))
	if len(got) != 1 {
		t.Errorf("%d violations, want the first", len(got))
	}
}

// TestConcurrentUse: the first checks of a set, of one method and of several, may come at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	files, set := shop(t), rules.NewSet()
	var wg sync.WaitGroup
	for i := range 16 {
		name := []protoreflect.Name{"Order", "Must", "Ring", "Item"}[i%4]
		md := message(t, files, name)
		wg.Go(func() {
			want := map[protoreflect.Name]int{"Order": 0, "Must": 5, "Ring": 0, "Item": 1}[name]
			if got := broken(t, set.Checker(md), nil); len(got) != want {
				t.Errorf("%s: %q", name, got)
			}
		})
	}
	wg.Wait()
}

// TestTwoSets: what two backends call by the same name is checked apart, even where one of them is this program itself.
func TestTwoSets(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]*protoregistry.Files{"one": shop(t), "other": shop(t)} {
		set := rules.NewSet()
		md := message(t, files, "Item")
		if got := broken(t, set.Checker(md), nil); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
