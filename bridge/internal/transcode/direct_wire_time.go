package transcode

import "google.golang.org/protobuf/encoding/protowire"

// moment writes the two fields of a Timestamp or a Duration.
func (e *encoder) moment(p *plan, seconds, nanos int64) {
	for i, v := range [...]int64{seconds, nanos} {
		if f := p.byNumber(protowire.Number(i + 1)); v != 0 || !f.implicit {
			e.out = append(e.out, f.tag...)
			e.out = protowire.AppendVarint(e.out, uint64(v))
		}
	}
}

// timestamp writes a Timestamp.
func (e *encoder) timestamp(p *plan) bool {
	text, ok := e.text()
	if !ok {
		return false
	}
	seconds, nanos, ok := parseTimestamp(text)
	e.moment(p, seconds, nanos)
	return ok
}

// parseTimestamp reads "2006-01-02T15:04:05", up to nine decimals, and "Z" or an offset such as "+01:00" (RFC 3339, section
// 5.6, without leap seconds).
func parseTimestamp(text []byte) (seconds, nanos int64, ok bool) {
	const form = "0000-00-00T00:00:00"
	if len(text) <= len(form) || !matches(text[:len(form)], form) {
		return 0, 0, false
	}
	year, month, day := two(text)*100+two(text[2:]), two(text[5:]), two(text[8:])
	hour, minute, second := two(text[11:]), two(text[14:]), two(text[17:])
	if hour > 23 || minute > 59 || second > 59 || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) {
		return 0, 0, false
	}
	rest := text[len(form):]
	if rest[0] == '.' {
		n := digits(rest[1:])
		if n == 0 || n > 9 {
			return 0, 0, false
		}
		nanos, rest = fraction(rest[1:1+n]), rest[1+n:]
	}
	offset, ok := parseOffset(rest)
	seconds = ((daysSince1970(year, month, day)*24+hour)*60+minute)*60 + second - offset
	return seconds, nanos, ok && leastTimestamp <= seconds && seconds <= mostTimestamp
}

// parseOffset reads a time zone as seconds east of Greenwich.
func parseOffset(zone []byte) (seconds int64, ok bool) {
	if len(zone) == 1 {
		return 0, zone[0] == 'Z'
	}
	if len(zone) != 6 || !matches(zone[1:], "00:00") {
		return 0, false
	}
	hours, minutes := two(zone[1:]), two(zone[4:])
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	switch seconds = (hours*60 + minutes) * 60; zone[0] {
	case '+':
		return seconds, true
	case '-':
		return -seconds, true
	}
	return 0, false
}

// matches reports whether text, as long as form, has a digit for every 0 and else the same.
func matches(text []byte, form string) bool {
	for i, c := range text {
		if form[i] == '0' {
			if c < '0' || '9' < c {
				return false
			}
		} else if c != form[i] {
			return false
		}
	}
	return true
}

// two reads two digits.
func two(b []byte) int64 { return int64(b[0]-'0')*10 + int64(b[1]-'0') }

// fraction reads up to nine decimals as billionths.
func fraction(decimals []byte) (billionths int64) {
	for _, c := range decimals {
		billionths = billionths*10 + int64(c-'0')
	}
	for range 9 - len(decimals) {
		billionths *= 10
	}
	return billionths
}

func monthDays(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysSince1970 counts in the proleptic Gregorian calendar, with years that begin in March so that the leap day comes last.
func daysSince1970(year, month, day int64) int64 {
	if month -= 3; month < 0 {
		month += 12
		year--
	}
	year += 400 // so that every division is of a positive number
	return year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 + day - 719469 - 400*365 - 97
}

// duration writes a Duration.
func (e *encoder) duration(p *plan) bool {
	text, ok := e.text()
	if !ok {
		return false
	}
	seconds, nanos, ok := parseDuration(text)
	e.moment(p, seconds, nanos)
	return ok
}

// parseDuration reads a sign, if any, seconds, a point with up to nine decimals, if any, and "s". As in protojson, one of the
// seconds and the decimals may be missing.
func parseDuration(text []byte) (seconds, nanos int64, ok bool) {
	sign := int64(1)
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	whole := digits(text)
	if whole > 12 || whole > 1 && text[0] == '0' {
		return 0, 0, false
	}
	for _, c := range text[:whole] {
		seconds = seconds*10 + int64(c-'0')
	}
	text = text[whole:]
	decimals := 0
	if len(text) > 0 && text[0] == '.' {
		decimals = digits(text[1:])
		if decimals > 9 {
			return 0, 0, false
		}
		nanos, text = fraction(text[1:1+decimals]), text[1+decimals:]
	}
	return sign * seconds, sign * nanos, whole+decimals > 0 && string(text) == "s" && seconds <= mostDuration
}
