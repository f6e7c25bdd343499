package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// metaSubscriptionID is the key of the request that a notification on a
// listen stream belongs to (2026-07-28 basic/utilities/subscriptions).
const metaSubscriptionID = "io.modelcontextprotocol/subscriptionId"

// Subscription says which changes a client wants to be told of.
type Subscription struct {
	// Tools, Prompts and Resources are changes of these lists.
	Tools, Prompts, Resources bool
	// URIs are resources.
	URIs []string
	// TaskIDs are tasks, of a client with [ExtensionTasks]; nil where it does not name
	// any.
	TaskIDs []string
}

// ParseListen reads the params of subscriptions/listen. A missing filter and
// members of the wrong kind are -32602; members that are not known are ignored.
func ParseListen(params []byte) (Subscription, *jsonrpc.Error) {
	var s Subscription
	raw, _ := jsonrpc.Find(params, "notifications")
	if !isObject(raw) {
		return s, invalidParams("notifications must be an object that says what to listen for")
	}
	for name, value := range jsonrpc.Pairs(raw) {
		if err := s.set(string(name), value); err != nil {
			return Subscription{}, err
		}
	}
	return s, nil
}

// set notes one member of the filter.
func (s *Subscription) set(name string, value []byte) *jsonrpc.Error {
	wanted := map[string]*bool{"toolsListChanged": &s.Tools, "promptsListChanged": &s.Prompts, "resourcesListChanged": &s.Resources}
	if flag := wanted[name]; flag != nil {
		*flag = string(value) == "true"
		if !*flag && string(value) != "false" {
			return invalidParams("notifications.%s must be true or false", name)
		}
		return nil
	}
	var err *jsonrpc.Error
	switch name {
	case "resourceSubscriptions":
		s.URIs, err = filterTexts(name, value, "URIs")
	case "taskIds":
		s.TaskIDs, err = filterTexts(name, value, "ids of tasks")
	}
	return err
}

// filterTexts reads a member of the filter that is an array of texts, what they
// are; not nil without an error.
func filterTexts(name string, value []byte, what string) ([]string, *jsonrpc.Error) {
	wrong := invalidParams("notifications.%s must be an array of %s", name, what)
	if len(value) == 0 || value[0] != '[' {
		return nil, wrong
	}
	texts := []string{}
	for element := range jsonrpc.Elements(value) {
		text, _ := jsonrpc.Unquote(element)
		if text == "" {
			return nil, wrong
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// appendJSON appends the subscription as the filter that says it.
func (s *Subscription) appendJSON(dst []byte) []byte {
	o := newObject(dst)
	for _, member := range []struct {
		name   string
		wanted bool
	}{{"toolsListChanged", s.Tools}, {"promptsListChanged", s.Prompts}, {"resourcesListChanged", s.Resources}} {
		if member.wanted {
			o.raw(member.name, []byte("true"))
		}
	}
	if len(s.URIs) > 0 {
		o.name("resourceSubscriptions")
		o.dst = appendStrings(o.dst, s.URIs)
	}
	if len(s.TaskIDs) > 0 {
		o.name("taskIds")
		o.dst = appendStrings(o.dst, s.TaskIDs)
	}
	return o.close()
}

// SubscriptionMeta returns the _meta object by which a notification, or the
// result, of a listen stream names its request.
func SubscriptionMeta(id jsonrpc.ID) []byte {
	o := newObject(nil)
	o.name(metaSubscriptionID)
	o.dst = id.AppendJSON(o.dst)
	return o.close()
}

// AppendAcknowledged appends the notification that opens a listen stream; s is
// the part of the filter that is honoured, meta a [SubscriptionMeta].
func AppendAcknowledged(dst []byte, s *Subscription, meta []byte) []byte {
	o := newObject(nil)
	o.raw("_meta", meta)
	o.name("notifications")
	o.dst = s.appendJSON(o.dst)
	return jsonrpc.AppendNotification(dst, MethodAcknowledged, o.close())
}

// AppendListChanged appends the notification that a list has changed, method,
// for example MethodToolsChanged. meta is nil, or a [SubscriptionMeta].
func AppendListChanged(dst []byte, method string, meta []byte) []byte {
	if meta == nil {
		return jsonrpc.AppendNotification(dst, method, nil)
	}
	o := newObject(nil)
	o.raw("_meta", meta)
	return jsonrpc.AppendNotification(dst, method, o.close())
}

// AppendResourceUpdated appends the notification that a resource may have
// changed. meta is nil, or a [SubscriptionMeta].
func AppendResourceUpdated(dst []byte, uri string, meta []byte) []byte {
	o := newObject(nil)
	o.raw("_meta", meta)
	o.text("uri", uri)
	return jsonrpc.AppendNotification(dst, MethodResourceUpdated, o.close())
}

// AppendCancelled appends notifications/cancelled for the request id, by which
// the server of a stdio stream ends a listen stream.
func AppendCancelled(dst []byte, id jsonrpc.ID, reason string) []byte {
	o := newObject(nil)
	o.name("requestId")
	o.dst = id.AppendJSON(o.dst)
	o.optional("reason", reason)
	return jsonrpc.AppendNotification(dst, MethodCancelled, o.close())
}
