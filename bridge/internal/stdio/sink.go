package stdio

import "context"

// sink sends what the server has to say beside answers.
type sink struct{ out *output }

// Send hands over one message and waits until the writer takes it. Of a request that is cancelled nothing more is sent.
func (k sink) Send(ctx context.Context, message []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return k.out.send(ctx, message)
}
