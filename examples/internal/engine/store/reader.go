package store

import (
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
)

// A Reader returns the bytes of a file, which are the parser's until that returns. An error is a
// [Fault], and the parser passes it on.
type Reader func(name string) ([]byte, error)

// A reader reads the files of one value: the one that it is named after, and those that this names.
type reader struct {
	files fs.FS
	limit int64
	buf   []byte // used again and again
	used  int    // of buf
	bytes int64  // of the files of the value so far
	sum   uint64 // of what they hold
}

var sums = crc64.MakeTable(crc64.ECMA)

// begin forgets the files of the value before.
func (r *reader) begin() { r.used, r.bytes, r.sum = 0, 0, 0 }

// read is a [Reader]. It looks at the file before and after: what has been written to meanwhile is
// not what anybody wanted to write.
func (r *reader) read(name string) ([]byte, error) {
	// The open of a pipe waits for its other end, so it is looked at first.
	info, err := fs.Stat(r.files, name)
	if err != nil {
		return nil, refused(name, err)
	}
	if err := r.fit(info); err != nil {
		return nil, &Fault{name, Unreadable, err}
	}
	f, err := r.files.Open(name)
	if err != nil {
		return nil, refused(name, err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, refused(name, err)
	}
	if err := r.fit(before); err != nil {
		return nil, &Fault{name, Unreadable, err}
	}
	size, when := int(before.Size()), before.ModTime()
	text := r.room(size + 1)
	n, err := io.ReadFull(f, text)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, refused(name, err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, refused(name, err)
	}
	if n != size || after.Size() != int64(size) || !after.ModTime().Equal(when) {
		return nil, &Fault{name, Changed, errChanged}
	}
	r.used += size
	r.bytes += int64(size)
	r.sum = crc64.Update(r.sum, sums, text[:size])
	return text[:size:size], nil
}

// fit reports what is wrong with a file that is there, but cannot be read.
func (r *reader) fit(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return errors.New("it is no ordinary file")
	case info.Size() > r.limit-r.bytes:
		return fmt.Errorf("%d bytes are more than %d", info.Size(), r.limit-r.bytes)
	}
	return nil
}

// room returns memory of n bytes behind what the value has used. What has been given out before
// stays as it is, also if this grows.
func (r *reader) room(n int) []byte {
	if r.used+n > len(r.buf) {
		r.buf, r.used = make([]byte, 2*n), 0
	}
	return r.buf[r.used : r.used+n]
}
