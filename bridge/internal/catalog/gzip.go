package catalog

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"math"
	"sync"
)

// packFrom is the least number of bytes of a page that is kept compressed: what is shorter fits into one packet anyway.
const packFrom = 1 << 10

// Page is one page of a list. It is immutable and safe for concurrent use.
type Page struct {
	json   []byte
	packed func() packed // makes it with the first use; nil where none is kept
}

// JSON returns the page as a finished JSON array, which must not be changed.
func (p *Page) JSON() []byte { return p.json }

// Packs reports whether [Page.Gzip] may be asked: the page has 1 KiB at least, and was made with the catalog, not on demand.
func (p *Page) Packs() bool { return p.packed != nil }

// Gzip returns a gzip file (RFC 1952) of one member that unpacks to head, the page and tail, in parts that follow each other and
// must not be changed. The page is compressed once, by the first caller, while others wait, and kept as long as the catalog is;
// head and tail are stored as they are.
//
// A page is the same for all clients and holds no secret of any, and what a client may have chosen in head and tail, such as the
// id of a request, is never compressed together with it: the length tells nothing that a guess could be held against (BREACH).
func (p *Page) Gzip(head, tail []byte) [][]byte {
	body := p.packed()
	front := make([]byte, 0, len(gzipHeader)+stored(len(head)))
	front = appendStored(append(front, gzipHeader...), head, false)
	sum := crc32.Update(body.join(crc32.ChecksumIEEE(head)), crc32.IEEETable, tail)
	size := uint32(len(head) + len(p.json) + len(tail)) // modulo 2^32 by section 2.3.1
	back := appendStored(make([]byte, 0, stored(len(tail))+gzipTrailer), tail, true)
	back = binary.LittleEndian.AppendUint32(back, sum)
	return [][]byte{front, body.blocks, binary.LittleEndian.AppendUint32(back, size)}
}

// gzipHeader begins a file without name, time and system (RFC 1952, section 2.3); gzipTrailer is the number of bytes behind its
// blocks.
const (
	gzipHeader  = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	gzipTrailer = 8
)

// keep has a page kept compressed from the first use on, if that pays.
func (p *Page) keep() {
	if len(p.json) >= packFrom && p.packed == nil {
		p.packed = sync.OnceValue(func() packed { return pack(p.json) })
	}
}

// packed is a text compressed so that it can stand in the middle of another.
type packed struct {
	blocks []byte // of DEFLATE, whole bytes, none the last one (RFC 1951, section 3.2.3)
	sum    uint32 // CRC-32 of the text
	shift  uint32 // x to the power of the number of its bits, modulo the polynomial of CRC-32
}

// pack compresses a text. Its memory is at most that of the text and 5 bytes for every 64 KiB of it.
func pack(text []byte) packed {
	var blocks bytes.Buffer
	w, _ := flate.NewWriter(&blocks, flate.DefaultCompression) // fails for an unknown level alone
	_, _ = w.Write(text)                                       // a buffer takes everything
	_ = w.Flush()                                              // ends on a whole byte, without a last block
	return packed{bytes.Clone(blocks.Bytes()), crc32.ChecksumIEEE(text), power(8 * uint64(len(text)))}
}

// join returns the CRC-32 of a text that ends with the packed one, from that of what precedes it.
func (p *packed) join(before uint32) uint32 { return times(p.shift, before) ^ p.sum }

// Polynomials over GF(2) modulo that of CRC-32 are written as the checksum is, with the highest power in the lowest bit.
const one, x = uint32(1) << 31, uint32(1) << 30

// power returns x to the power of n.
func power(n uint64) uint32 {
	product, square := one, x
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			product = times(product, square)
		}
		square = times(square, square)
	}
	return product
}

// times returns a product.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a&one != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.IEEE*(b&1) // by x
	}
	return product
}

// blockHeader is the number of bytes before the text of a stored block (RFC 1951, section 3.2.4).
const blockHeader = 5

// stored is how many bytes appendStored appends for a text of n.
func stored(n int) int { return n + blockHeader*(n/math.MaxUint16+1) }

// appendStored appends a text in blocks that are not compressed, at least one; last says that no others follow.
func appendStored(dst, text []byte, last bool) []byte {
	for {
		n := min(len(text), math.MaxUint16)
		final := byte(0)
		if last && n == len(text) {
			final = 1
		}
		dst = binary.LittleEndian.AppendUint16(append(dst, final), uint16(n))
		dst = append(binary.LittleEndian.AppendUint16(dst, ^uint16(n)), text[:n]...)
		if text = text[n:]; len(text) == 0 {
			return dst
		}
	}
}
