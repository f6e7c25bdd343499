package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// tool is the name of the method where it is a tool: the one that the bridge makes of it.
const tool = "order_echo"

// mcpVersion is the revision of the Model Context Protocol that is spoken: without sessions, so that one request is one call.
const mcpVersion = "2026-07-28"

// traceparent begins a trace that asks to be kept, where anybody keeps any.
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// exchange is what is sent again and again, and what has to come back; the clients of a job share it.
type exchange struct {
	size    size
	request []byte
	// orders finds the places of an answer that hold the order.
	orders func(answer []byte) ([][]byte, error)
	// length is that of the answer that was checked; 0 before that.
	length int
}

// newExchange makes the request of a job.
func newExchange(j job) (*exchange, error) {
	s, err := sizeNamed(j.Size)
	if err != nil {
		return nil, err
	}
	body, err := s.json()
	if err != nil {
		return nil, err
	}
	if j.Target == restHandler {
		header := http.Header{"Content-Type": {"application/json"}}
		whole := func(answer []byte) ([][]byte, error) { return [][]byte{answer}, nil }
		return &exchange{size: s, request: post(j.Address, "/bench.v1.OrderService/Echo", body, header), orders: whole}, nil
	}
	return &exchange{size: s, request: post(j.Address, "/mcp", toolsCall(body), mcpHeader()), orders: results}, nil
}

// connectHTTP prepares the calls of a job by HTTP.
func connectHTTP(j job) (func() (caller, error), error) {
	x, err := newExchange(j)
	return func() (caller, error) {
		conn, err := net.Dial("tcp", j.Address)
		if err != nil {
			return nil, err
		}
		return &httpCaller{exchange: x, conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}, nil
	}, err
}

// httpCaller is a keep-alive HTTP/1.1 client with one connection. It sends bytes that were made before and parses the head of the
// answer with net/http, so that little of the machine goes into the load: http.Client takes more than some of what it would measure.
type httpCaller struct {
	*exchange

	conn   net.Conn
	reader *bufio.Reader
	answer bytes.Buffer // the body of the last answer
}

// Check compares what is in the answer with the order.
func (c *httpCaller) Check() error {
	if err := c.Call(); err != nil {
		return err
	}
	found, err := c.orders(c.answer.Bytes())
	if err != nil {
		return err
	}
	for _, order := range found {
		if err := c.size.sameOrder(order); err != nil {
			return err
		}
	}
	c.length = c.answer.Len()
	return nil
}

// Call reads the whole answer; it has to be as long as the one that was checked.
func (c *httpCaller) Call() error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	res, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	c.answer.Reset()
	if _, err := c.answer.ReadFrom(res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || c.length > 0 && c.answer.Len() != c.length {
		return fmt.Errorf("%s answered %s with %d bytes: %.300s", c.conn.RemoteAddr(), res.Status, c.answer.Len(), c.answer.Bytes())
	}
	return nil
}

// Close closes the connection.
func (c *httpCaller) Close() error { return c.conn.Close() }

// post is a request as it goes over the wire.
func post(host, path string, body []byte, header http.Header) []byte {
	header.Set("Host", host)
	header.Set("User-Agent", "bench")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\n", path)
	_ = header.Write(&b)
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// mcpHeader is what the revision wants of a call over Streamable HTTP.
func mcpHeader() http.Header {
	return http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {mcpVersion}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool},
		"Traceparent": {traceparent},
	}
}

// toolsCall is the call of the tool with arguments, as ProtoJSON.
func toolsCall(arguments []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`, tool, arguments, mcpVersion)
}

// results are the two places of a result that hold the order: the structured content and the text.
func results(answer []byte) ([][]byte, error) {
	var response struct {
		Result struct {
			IsError           bool            `json:"isError"`
			StructuredContent json.RawMessage `json:"structuredContent"`
			Content           []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return nil, err
	}
	result := response.Result
	if result.IsError || len(result.Content) != 1 {
		return nil, fmt.Errorf("this is no result of the tool: %.300s", answer)
	}
	return [][]byte{result.StructuredContent, []byte(result.Content[0].Text)}, nil
}
