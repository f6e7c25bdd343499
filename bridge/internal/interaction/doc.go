// Package interaction knows how a backend speaks to the client whose call it
// serves, in the words of bridge/v1/interaction.proto: what among the messages of
// a stream is progress or a line of its log ([Events]); what it asks the client
// for ([Read]), and whether the client's answers fit ([Request.Answer]); and how
// what was asked waits with a modern client until it comes back with its answers
// ([Sealer]). Messages of a backend are taken for ours by their names and by the
// numbers and types of their fields, so that older and newer copies of our file
// serve as well.
package interaction
