package pipes

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An Archive fetches the files of a zip or tar archive. It has a table of them in memory, and reads
// each from its place. A tar archive that is compressed with gzip or zstd is unpacked in memory.
//
// An archive that has a name which leads out of it, or one name twice, is refused as a whole. Links
// in it are not followed.
type Archive struct {
	entries map[string]entry
	file    *os.File // nil: it is the caller's
}

// An entry is a file of an archive.
type entry struct {
	size int64
	open func() (io.ReadCloser, error) // nil: it is no file
}

// OpenArchive returns the Archive of a file, whatever its name. It must be closed.
func OpenArchive(file string, l Limits) (*Archive, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("pipes: %w", err)
	}
	var a *Archive
	info, err := f.Stat()
	if err == nil {
		err = isFile(file, info)
	}
	if err == nil {
		a, err = ReadArchive(f, info.Size(), l)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	a.file = f
	return a, nil
}

// ReadArchive returns the Archive in r, which has size bytes and must stay as it is. Limits.Bytes
// is for the entries, when they are fetched; Entries and Archive are looked at now.
func ReadArchive(r io.ReaderAt, size int64, l Limits) (a *Archive, err error) {
	defer guard("archive", &err)
	l = l.OrDefault()
	a = &Archive{entries: map[string]entry{}}
	head := make([]byte, 4)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("pipes: %w", err)
	}
	plain := func() io.Reader { return io.NewSectionReader(r, 0, size) }
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK")):
		err = a.addZip(r, size, l)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		var z *gzip.Reader
		if z, err = gzip.NewReader(plain()); err == nil {
			err = a.addUnpacked(z, l)
		}
	case bytes.HasPrefix(head, zstdMagic):
		var z *zstd.Decoder
		if z, err = newZstd(plain()); err == nil {
			err = a.addUnpacked(z, l)
			z.Close()
		}
	default:
		err = a.addTar(r, size, l)
	}
	if err != nil {
		return nil, damaged("archive", err)
	}
	return a, nil
}

// Close gives the file of OpenArchive back.
func (a *Archive) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// Names returns the names of the files, sorted.
func (a *Archive) Names() []string {
	names := slices.Sorted(maps.Keys(a.entries))
	return slices.DeleteFunc(names, func(n string) bool { return a.entries[n].open == nil })
}

// Fetch implements Fetcher.
func (a *Archive) Fetch(ctx context.Context, name string, most int64) (data []byte, err error) {
	defer guard(name, &err)
	if err := checkPath(name); err != nil {
		return nil, err
	}
	e, ok := a.entries[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("pipes: %q in the archive: %w", name, fs.ErrNotExist)
	case e.open == nil:
		return nil, fmt.Errorf("%w: %q in the archive is no file", ErrPath, name)
	case e.size > most:
		return nil, over("bytes of "+name, e.size, most)
	}
	r, err := e.open()
	if err != nil {
		return nil, damaged(name, err)
	}
	defer r.Close()
	data, err = readAll(ctx, name, r, e.size, min(e.size, most))
	if err != nil && ctx.Err() == nil {
		return nil, damaged(name, err)
	} else if err != nil {
		return nil, err
	}
	if int64(len(data)) != e.size {
		return nil, damaged(name, io.ErrUnexpectedEOF)
	}
	return data, nil
}

// add enters a file; its name is as the archive says it.
func (a *Archive) add(name string, e entry, l Limits) error {
	name = strings.TrimPrefix(name, "./")
	if err := checkPath(name); err != nil {
		return err
	}
	if _, twice := a.entries[name]; twice {
		return fmt.Errorf("%w: two entries %.100q", ErrFormat, name)
	}
	if len(a.entries) >= l.Entries {
		return endless("entries", int64(l.Entries))
	}
	if e.size < 0 {
		return fmt.Errorf("%w: %.100q has %d bytes", ErrFormat, name, e.size)
	}
	a.entries[name] = e
	return nil
}

func (a *Archive) addZip(r io.ReaderAt, size int64, l Limits) error {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstdOptions...))
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			dir := strings.TrimSuffix(strings.TrimPrefix(f.Name, "./"), "/")
			if err := checkPath(dir); err != nil {
				return err
			}
			continue
		}
		e := entry{size: int64(f.UncompressedSize64)}
		if f.Mode().IsRegular() {
			e.open = f.Open
		}
		if err := a.add(f.Name, e, l); err != nil {
			return err
		}
	}
	return nil
}

// addUnpacked adds a tar archive that is compressed.
func (a *Archive) addUnpacked(r io.Reader, l Limits) error {
	data, err := readAll(context.Background(), "unpacked archive", r, 0, l.Archive)
	if err != nil {
		return err
	}
	return a.addTar(bytes.NewReader(data), int64(len(data)), l)
}

func (a *Archive) addTar(r io.ReaderAt, size int64, l Limits) error {
	// A tar.Reader reads no further than the header that it returns, so what follows is the file.
	at := io.NewSectionReader(r, 0, size)
	t := tar.NewReader(at)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		e := entry{size: h.Size}
		switch h.Typeflag {
		case tar.TypeDir:
			if err := checkPath(strings.Trim(strings.TrimPrefix(h.Name, "./"), "/")); err != nil &&
				h.Name != "./" && h.Name != "." {
				return err
			}
			continue
		case tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
			from, err := at.Seek(0, io.SeekCurrent)
			if err != nil {
				return err
			}
			if sparse(h) {
				break // its bytes are elsewhere
			}
			if h.Size > size-from {
				return io.ErrUnexpectedEOF
			}
			e.open = func() (io.ReadCloser, error) {
				return io.NopCloser(io.NewSectionReader(r, from, h.Size)), nil
			}
		}
		if err := a.add(h.Name, e, l); err != nil {
			return err
		}
	}
}

func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}
