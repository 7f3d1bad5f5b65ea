package pipes

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// A member is a file of an archive that a test makes.
type member struct {
	name, text string
	kind       byte // as tar has it; 0: a file
}

func zipOf(t testing.TB, members ...member) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		if m.kind == tar.TypeSymlink {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = io.WriteString(w, m.text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func tarOf(t testing.TB, members ...member) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Mode: 0o666}
		switch m.kind {
		case 0, tar.TypeReg:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(m.text))
		case tar.TypeSymlink, tar.TypeLink:
			h.Linkname, m.text = m.text, ""
		default:
			m.text = ""
		}
		require.NoError(t, w.WriteHeader(h))
		_, err := io.WriteString(w, m.text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

func zstdOf(t testing.TB, data []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	defer w.Close()
	return w.EncodeAll(data, nil)
}

func read(data []byte, l Limits) (*Archive, error) {
	return ReadArchive(bytes.NewReader(data), int64(len(data)), l)
}

// kinds are the forms of archives.
var kinds = map[string]func(testing.TB, ...member) []byte{
	"zip": zipOf, "tar": tarOf,
	"tar.gz":  func(t testing.TB, m ...member) []byte { return gzipOf(t, tarOf(t, m...)) },
	"tar.zst": func(t testing.TB, m ...member) []byte { return zstdOf(t, tarOf(t, m...)) },
}

func TestArchives(t *testing.T) {
	for kind, of := range kinds {
		t.Run(kind, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "any")
			long := string(bytes.Repeat([]byte("long "), 1<<20))
			require.NoError(t, os.WriteFile(file, of(t, member{"a/b.txt", "text", 0},
				member{"./c", "", 0}, member{"link", "a/b.txt", tar.TypeSymlink},
				member{"long", long, 0}), 0o666))
			a, err := OpenArchive(file, Limits{})
			require.NoError(t, err)
			defer func() { require.NoError(t, a.Close()) }()
			require.Equal(t, []string{"a/b.txt", "c", "long"}, a.Names())
			for name, want := range map[string]string{"a/b.txt": "text", "c": "", "long": long} {
				data, err := a.Fetch(bg, name, int64(len(want)))
				require.NoError(t, err, name)
				require.NotNil(t, data)
				require.True(t, want == string(data), name)
			}
			_, err = a.Fetch(bg, "a/b.txt", 3)
			require.ErrorIs(t, err, ErrLimit)
			_, err = a.Fetch(bg, "none", 3)
			require.ErrorIs(t, err, fs.ErrNotExist)
			for _, name := range []string{"link", "../a", "/a", "a\\b"} {
				_, err = a.Fetch(bg, name, 100)
				require.ErrorIs(t, err, ErrPath, name)
			}
			ended, cancel := context.WithCancel(bg)
			cancel()
			_, err = a.Fetch(ended, "long", 1<<30)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

// Zip slip: a name that leads out when it is unpacked. Nothing is unpacked here, and still such an
// archive is refused as a whole.
func TestArchivesThatLeadOut(t *testing.T) {
	for kind, of := range kinds {
		for _, name := range []string{"../evil", "a/../../evil", "/etc/passwd", "a\\..\\..\\evil",
			"a//b"} {
			_, err := read(of(t, member{"good", "g", 0}, member{name, "evil", 0}), Limits{})
			require.ErrorIs(t, err, ErrPath, "%s %q", kind, name)
		}
		_, err := read(of(t, member{"a", "1", 0}, member{"a", "2", 0}), Limits{})
		require.ErrorIs(t, err, ErrFormat, kind)
		_, err = read(of(t, member{"a", "1", 0}, member{"b", "2", 0}), Limits{Entries: 1})
		require.ErrorIs(t, err, ErrLimit, kind)
	}
	a, err := read(tarOf(t, member{"hard", "/etc/passwd", tar.TypeLink},
		member{"pipe", "", tar.TypeFifo}, member{"device", "", tar.TypeChar}), Limits{})
	require.NoError(t, err)
	require.Empty(t, a.Names())
	_, err = a.Fetch(bg, "hard", 100)
	require.ErrorIs(t, err, ErrPath)
}

func TestArchiveBombs(t *testing.T) {
	zeros := string(make([]byte, 32<<20))
	bomb := zipOf(t, member{"zeros", zeros, 0})
	require.Less(t, len(bomb), 64<<10)
	a, err := read(bomb, Limits{})
	require.NoError(t, err)
	_, err = a.Fetch(bg, "zeros", 1<<20)
	require.ErrorIs(t, err, ErrLimit)

	// One that says that it is small.
	lie := bytes.Clone(bomb)
	at := bytes.LastIndex(lie, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lie[at+24:], 10)
	a, err = read(lie, Limits{})
	require.NoError(t, err)
	data, err := a.Fetch(bg, "zeros", 1<<20)
	require.Error(t, err)
	require.Nil(t, data)
	require.True(t, errors.Is(err, ErrFormat) || errors.Is(err, ErrLimit), "%v", err)

	packedTar := tarOf(t, member{"zeros", zeros, 0})
	for kind, b := range map[string][]byte{
		"gzip": gzipOf(t, packedTar), "zstd": zstdOf(t, packedTar),
	} {
		_, err = read(b, Limits{Archive: 1 << 20})
		require.ErrorIs(t, err, ErrLimit, kind)
	}
}

func TestDamagedArchives(t *testing.T) {
	for kind, of := range kinds {
		whole := of(t, member{"a", string(bytes.Repeat([]byte("text"), 1000)), 0})
		for _, cut := range []int{10, len(whole) / 3, len(whole) / 2} {
			a, err := read(whole[:cut], Limits{})
			if err == nil {
				_, err = a.Fetch(bg, "a", 1<<20)
			}
			require.ErrorIs(t, err, ErrFormat, "%s cut at %d", kind, cut)
		}
	}
}

func FuzzArchive(f *testing.F) {
	members := []member{{"a/b", "text", 0}, {"l", "a/b", tar.TypeSymlink}, {"../x", "", 0}}
	for _, of := range kinds {
		f.Add(of(f, members[:2]...))
	}
	f.Add(tarOf(f, members...))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := read(data, Limits{Archive: 1 << 20, Entries: 100})
		if err != nil {
			require.True(t, errors.Is(err, ErrFormat) || errors.Is(err, ErrLimit) ||
				errors.Is(err, ErrPath), "%v", err)
			return
		}
		for _, name := range a.Names() {
			require.NoError(t, checkPath(name))
			if data, err := a.Fetch(bg, name, 1<<16); err == nil {
				require.LessOrEqual(t, len(data), 1<<16)
			}
		}
	})
}
