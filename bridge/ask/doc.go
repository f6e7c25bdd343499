// Package ask is for backends in Go that have to ask the client of a call
// something before they can serve it: a form for the user to fill in, a page to
// visit, a text of the client's model, the client's roots. Neither this package
// nor anything else of the bridge is needed for it: what it makes are the
// messages of bridge/v1/interaction.proto.
//
// A handler looks whether it has the answer, and else ends with [Require],
// before it has done anything. The bridge asks and calls again:
//
//	answers := ask.FromContext(ctx) // or ask.From(req.GetAnswers())
//	if !answers.Has("confirm") {
//		return nil, ask.Require(ask.Form("confirm", "Delete all?", ask.Bool("sure", ask.Required())))
//	}
//
// The answer says whether the user agreed: [Answers.Accepted].
package ask
