package content

import (
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// roleOf names a role; where none is said, and where it is none that we know, it is the user.
func roleOf(r bridgev1.Role) string {
	if r == bridgev1.Role_ROLE_ASSISTANT {
		return mcp.RoleAssistant
	}
	return mcp.RoleUser
}

// annotationsOf keeps to what MCP allows: each role once, a priority from 0 to 1, a time of the years 1 to 9999.
func annotationsOf(a *bridgev1.ContentAnnotations) mcp.Annotations {
	var to mcp.Annotations
	for _, role := range a.GetAudience() {
		if name := roleOf(role); !slices.Contains(to.Audience, name) {
			to.Audience = append(to.Audience, name)
		}
	}
	if a != nil && a.Priority != nil && !math.IsNaN(a.GetPriority()) {
		to.Priority = new(min(max(a.GetPriority(), 0), 1))
	}
	to.LastModified = timeOf(a.GetLastModified())
	return to
}

// timeOf returns a time as RFC 3339 has it; "" where there is none or it is out of range.
func timeOf(t *timestamppb.Timestamp) string {
	if t == nil || !t.IsValid() {
		return ""
	}
	return t.AsTime().Format(time.RFC3339Nano)
}
