// Package content turns the parts of a response that are more than data into blocks of content, contents of a resource and
// messages of a prompt: fields of the types bridge.v1.Content, bridge.v1.ResourceContents, bridge.v1.PromptMessage and
// google.api.HttpBody, or a response that is one of these itself.
//
// The bytes are a backend's and nothing about them is assumed. What cannot be parsed is [ErrReply]; more blocks than
// [MaxBlocks] are [ErrTooLarge]; invalid UTF-8 is replaced by U+FFFD; what the bridge does not know yet is said in a text. A
// media type or a URI that is none counts as not given, so that it is replaced by its default and never sent on.
// Nothing is left out silently.
package content
