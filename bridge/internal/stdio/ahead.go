package stdio

import "time"

// Bounds of what is read ahead, in bytes. The end of the input is seen only behind all that the client could write before it,
// which the pipe takes besides. So when there is no more room and nobody takes a line, reading goes on, but slowly: a client
// that is gone is noticed in a moment, and one that writes on without reading is given up (Config.WriteTimeout) before it
// has filled maxAhead.
const (
	// readAhead is what is read without delay.
	readAhead = 1 << 20
	// readMore is what is read besides, once every readPause: as much as a pipe holds on most systems.
	readMore  = 64 << 10
	readPause = 50 * time.Millisecond
	// maxAhead is where reading stops until lines are taken.
	maxAhead = 48 << 20
	// lineSize is what a line takes besides its text.
	lineSize = 64
)

// hand hands lines on in their order, until the last is taken or nobody takes them any more.
func (in *input) hand() {
	defer close(in.lines)
	b := backlog{from: in.read, to: in.lines, room: readAhead}
	for b.from != nil || len(b.lines) > 0 {
		from, pause := b.source()
		to, first := b.target()
		select {
		case l, open := <-from:
			b.put(l, open)
		case to <- first:
			b.drop()
		case <-pause:
			b.room += readMore
		case <-in.quit:
			for range in.read { // whoever reads must not wait for room
			}
			return
		}
	}
}

// backlog holds the lines that were read and not taken yet. It belongs to the goroutine of hand.
type backlog struct {
	from, to chan line // from is nil at the end of the input
	lines    []line
	held     int // bytes of lines
	room     int // bytes that may be held
}

// source is where lines come from while there is room, and else when there is more room.
func (b *backlog) source() (from chan line, pause <-chan time.Time) {
	switch {
	case b.from == nil || b.held < b.room:
		return b.from, nil
	case b.room < maxAhead:
		return nil, time.After(readPause)
	default:
		return nil, nil
	}
}

// target is where the first line goes, nowhere when there is none.
func (b *backlog) target() (to chan line, first line) {
	if len(b.lines) == 0 {
		return nil, line{}
	}
	return b.to, b.lines[0]
}

// put adds a line, or notes that there are no more.
func (b *backlog) put(l line, open bool) {
	if !open {
		b.from = nil
		return
	}
	b.lines = append(b.lines, l)
	b.held += l.held
}

// drop removes the first line.
func (b *backlog) drop() {
	b.held -= b.lines[0].held
	b.lines[0] = line{}
	b.lines = b.lines[1:]
	if b.held < readAhead {
		b.room = readAhead
	}
}
