package farm

import (
	"encoding/binary"
	"fmt"
	"time"
)

// What messages may hold at most. Nothing is allocated for a length that the message itself does
// not have.
const (
	maxRefs    = 4096
	maxInline  = 512 << 10
	maxText    = 8 << 10
	maxSize    = 1 << 44
	maxTimeout = 366 * 24 * time.Hour
)

// A message is what is queued for a worker: "HJ1", the job, the time allowed, the argument or its
// Ref, and the Refs of further inputs.
type message struct {
	id      jobID
	timeout time.Duration // of each attempt, and in the queue; 0: none
	inline  bool
	arg     []byte // if inline
	argRef  Ref
	refs    []Ref
	data    [][]byte // of the reference of that number, if it travels in the message; else nil
}

func (m *message) key() Hash { return keyOf(m.id, m.argRef, m.refs) }

func (m *message) encode() []byte {
	b := append(make([]byte, 0, 128+len(m.arg)+40*len(m.refs)), "HJ1"...)
	b = appendString(appendString(b, m.id.name), m.id.version)
	b = binary.AppendUvarint(b, uint64(m.timeout/time.Millisecond))
	if m.inline {
		b = appendString(append(b, 1), string(m.arg))
	} else {
		b = appendRef(append(b, 0), m.argRef)
	}
	b = binary.AppendUvarint(b, uint64(len(m.refs)))
	for i, r := range m.refs {
		if i < len(m.data) && m.data[i] != nil {
			b = appendString(append(b, 1), string(m.data[i]))
		} else {
			b = appendRef(append(b, 0), r)
		}
	}
	return b
}

// decodeMessage returns the message that b holds. It returns an error that wraps ErrInvalid for
// anything that encode does not write.
func decodeMessage(b []byte) (*message, error) {
	d := decoder{rest: b}
	d.magic("HJ1")
	m := &message{}
	m.id.name = d.text(maxName)
	m.id.version = d.text(maxName)
	m.timeout = time.Duration(d.number(uint64(maxTimeout/time.Millisecond))) * time.Millisecond
	m.arg, m.argRef = d.content()
	m.inline = m.arg != nil
	n := d.number(maxRefs)
	for range n {
		if d.err != nil { // before there is room for more than there are bytes
			break
		}
		data, r := d.content()
		m.refs = append(m.refs, r)
		m.data = append(m.data, data)
	}
	if d.end(); d.err == nil {
		d.err = errFirst(checkName(m.id.name), checkName(m.id.version))
	}
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}

type recordKind byte

const (
	recordInline recordKind = 1 + iota // the payload is the result
	recordObject                       // the result is an object of the store
	recordFailed                       // the payload is the text of an error
)

// A record is the outcome of a piece of work, kept under its key: "HR1", what it is, and by whom.
type record struct {
	kind     recordKind
	attempts int
	run      time.Duration
	worker   string
	ref      Ref // of the result
	payload  []byte
}

func (r *record) encode() []byte {
	b := append(make([]byte, 0, 128+len(r.payload)), "HR1"...)
	b = binary.AppendUvarint(append(b, byte(r.kind)), uint64(r.attempts))
	b = binary.AppendUvarint(b, uint64(r.run/time.Microsecond))
	b = appendRef(appendString(b, r.worker), r.ref)
	return appendString(b, string(r.payload))
}

func decodeRecord(b []byte) (*record, error) {
	d := decoder{rest: b}
	d.magic("HR1")
	r := &record{kind: recordKind(d.byte())}
	r.attempts = int(d.number(1 << 30))
	r.run = time.Duration(d.number(uint64(maxTimeout/time.Microsecond))) * time.Microsecond
	r.worker = d.text(maxName)
	r.ref = d.ref()
	switch r.kind {
	case recordInline:
		r.payload = d.bytes(maxInline)
		if d.err == nil && RefOf(r.payload) != r.ref {
			d.fail("a result that is not what its hash says")
		}
	case recordObject:
		d.bytes(0)
	case recordFailed:
		r.payload = d.bytes(maxText)
	default:
		d.fail("a kind of record")
	}
	if d.end(); d.err != nil {
		return nil, d.err
	}
	return r, nil
}

// A decoder takes a message apart, and remembers the first thing that is wrong with it.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: a message with %s", ErrInvalid, what)
	}
	d.rest = nil
}

func (d *decoder) magic(m string) {
	if len(d.rest) < len(m) || string(d.rest[:len(m)]) != m {
		d.fail("another beginning")
		return
	}
	d.rest = d.rest[len(m):]
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail("too few bytes")
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

// number takes a number in its only encoding, the shortest.
func (d *decoder) number(most uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	switch {
	case n <= 0:
		d.fail("too few bytes")
		return 0
	case v > most || n > 1 && d.rest[n-1] == 0:
		d.fail("a number that it cannot have")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) bytes(most uint64) []byte {
	n := d.number(most)
	if n > uint64(len(d.rest)) {
		d.fail("too few bytes")
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) text(most uint64) string { return string(d.bytes(most)) }

func (d *decoder) ref() (r Ref) {
	if len(d.rest) < len(r.Hash) {
		d.fail("too few bytes")
		return r
	}
	d.rest = d.rest[copy(r.Hash[:], d.rest):]
	r.Size = int64(d.number(maxSize))
	return r
}

// content takes a content or its reference. The former is not nil even if it is empty.
func (d *decoder) content() ([]byte, Ref) {
	switch d.byte() {
	case 1:
		b := d.bytes(maxInline)
		if b == nil {
			b = []byte{}
		}
		return b, RefOf(b)
	case 0:
		return nil, d.ref()
	}
	d.fail("a kind of content")
	return nil, Ref{}
}

func (d *decoder) end() {
	if d.err == nil && len(d.rest) > 0 {
		d.fail("more behind its end")
	}
}
