package transcode

import (
	"strconv"
	"time"
)

// The range of seconds in a Timestamp and of either sign in a Duration.
const (
	leastTimestamp = -62135596800
	mostTimestamp  = 253402300799
	mostDuration   = 315576000000
	mostNanos      = 999999999
)

func (e *emitter) timestamp(seconds, nanos int64) bool {
	if seconds < leastTimestamp || seconds > mostTimestamp || nanos < 0 || nanos > mostNanos {
		return false
	}
	t := time.Unix(seconds, 0).UTC()
	e.out = append(e.out, '"')
	e.out = appendNanos(t.AppendFormat(e.out, "2006-01-02T15:04:05"), nanos)
	e.out = append(e.out, 'Z', '"')
	return true
}

func (e *emitter) duration(seconds, nanos int64) bool {
	if seconds < -mostDuration || seconds > mostDuration || nanos < -mostNanos || nanos > mostNanos ||
		seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return false
	}
	e.out = append(e.out, '"')
	if seconds < 0 || nanos < 0 {
		e.out = append(e.out, '-')
		seconds, nanos = -seconds, -nanos
	}
	e.out = appendNanos(strconv.AppendInt(e.out, seconds, 10), nanos)
	e.out = append(e.out, 's', '"')
	return true
}

// appendNanos writes a fraction of a second in no, 3, 6 or 9 digits.
func appendNanos(out []byte, nanos int64) []byte {
	if nanos == 0 {
		return out
	}
	digits := 9
	for nanos%1000 == 0 {
		nanos /= 1000
		digits -= 3
	}
	out = append(out, ".000000000"[:digits+1]...)
	for i := len(out) - 1; nanos > 0; i-- {
		out[i] = byte('0' + nanos%10)
		nanos /= 10
	}
	return out
}
