package backend

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendData appends the failure as data for a program, a JSON object:
//
//	{"code": "NOT_FOUND", "message": "…", "outcome": "executed", "retryable": false, "retryAfter": "2s", "attempts": 3,
//	 "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", …}]}
//
// retryAfter is a duration as protobuf writes it in JSON, and is there where the backend asks to wait; attempts where there
// was more than one. details are those that AppendText tells of, in ProtoJSON, and are there where there are some. With what
// AppendText has, no field marked debug_redact and no DebugInfo is shown.
func (f *Failure) AppendData(dst []byte) []byte {
	dst = appendText(append(dst, `{"code":`...), codeName(f.Code))
	dst = appendText(append(dst, `,"message":`...), cmp.Or(clean(f.Message, maxMessage), noReason))
	dst = appendText(append(dst, `,"outcome":`...), string(f.Execution))
	dst = strconv.AppendBool(append(dst, `,"retryable":`...), f.Retryable)
	if f.RetryAfter > 0 {
		seconds := strconv.FormatFloat(f.RetryAfter.Seconds(), 'f', -1, 64)
		dst = appendText(append(dst, `,"retryAfter":`...), seconds+"s")
	}
	if f.Attempts > 1 {
		dst = strconv.AppendInt(append(dst, `,"attempts":`...), int64(f.Attempts), 10)
	}
	return append(f.appendDetailData(dst), '}')
}

// appendDetailData appends the details as far as they fit.
func (f *Failure) appendDetailData(dst []byte) []byte {
	begun, room := false, maxData
	for i := range f.Details {
		d := &f.Details[i]
		if room -= len(d.JSON); len(d.JSON) == 0 || d.JSON[0] != '{' || room < 0 {
			continue
		}
		if begun {
			dst = append(dst, ',')
		} else {
			dst = append(dst, `,"details":[`...)
		}
		begun = true
		dst = appendText(append(dst, `{"@type":`...), "type.googleapis.com/"+d.Type)
		if members := d.JSON[1:]; string(members) != "}" {
			dst = append(append(dst, ','), members...)
		} else {
			dst = append(dst, '}')
		}
	}
	if begun {
		dst = append(dst, ']')
	}
	return dst
}

// maxData bounds, in bytes of JSON, the details of a failure as data.
const maxData = 16 << 10

// appendText appends a text as a JSON string.
func appendText(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // what is not UTF-8 is replaced, and appended all the same
	return dst
}
