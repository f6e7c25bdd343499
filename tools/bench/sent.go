package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// exported makes sure that the table says what it seems to: the bridges end, by which the last spans are sent, and then the
// sampled one must have sent some and the other none.
func exported(ctx context.Context, st *stand, sinks map[string]*process) error {
	for _, name := range traced {
		if err := st.callees[name].stop(); err != nil {
			return err
		}
	}
	for name, sink := range sinks {
		n, err := received(ctx, sink.address)
		if err != nil {
			return err
		}
		if (n > 0) != (name == traceSampled) {
			return fmt.Errorf("the collector of the bridge %q got %d bytes of spans", name, n)
		}
	}
	return nil
}

// received is how many bytes a sink has taken.
func received(ctx context.Context, address string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address, nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}
