package farm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/seed"
)

// A pattern is a long stream that takes no memory, and notes the largest read and the most memory
// that was in use.
type pattern struct {
	size, at int64
	largest  int
}

func (p *pattern) Read(b []byte) (int, error) {
	if p.at == p.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), p.size-p.at))
	for i := range n {
		b[i] = byte((p.at + int64(i)) * 7 >> 3)
	}
	p.at += int64(n)
	p.largest = max(p.largest, n)
	return n, nil
}

func (p *pattern) Seek(at int64, _ int) (int64, error) {
	p.at = at
	return at, nil
}

// A gauge knows the most memory of the heap that was live, of what passes it.
type gauge struct {
	mu   sync.Mutex
	n    int64
	most uint64
}

func (g *gauge) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if before := g.n; before>>23 != (before+int64(len(b)))>>23 { // each 8 MiB
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		g.most = max(g.most, s.HeapAlloc)
	}
	g.n += int64(len(b))
	return len(b), nil
}

// A large argument and a large result pass as streams: what is in memory is bounded, by far less
// than their size.
func TestStreams(t *testing.T) {
	size := int64(96 << 20)
	if !testing.Short() {
		size = 512 << 20
	}
	const bound = 48 << 20
	var g gauge
	jobs := farm.NewJobs()
	jobs.Register("copy", "1", func(ctx context.Context, in farm.Input, out io.Writer) error {
		if _, err := in.Bytes(ctx); !errors.Is(err, farm.ErrTooLarge) {
			return errors.New("it is in memory")
		}
		rc, err := in.Open(ctx)
		if err != nil {
			return err
		}
		defer rc.Close()
		_, err = io.Copy(io.MultiWriter(out, &g), rc)
		return err
	})
	sys := start(t)
	f := open(t, farm.Options{Jobs: jobs, MemoryLimit: 1 << 20})
	work(t, f, jobs, farm.WorkOptions{})
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	src := &pattern{size: size}
	r := farm.Call(sys, f, "copy", farm.Stream(src), remote)
	_, err := r.Get(bg)
	require.ErrorIs(t, err, farm.ErrTooLarge)
	rc, err := r.Open(bg)
	require.NoError(t, err)
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(h, &g), rc)
	require.NoError(t, err)
	require.NoError(t, rc.Close())
	require.Equal(t, size, n)
	require.Equal(t, r.Ref().Hash, farm.Hash(h.Sum(nil)))
	require.LessOrEqual(t, src.largest, 1<<20)
	require.Positive(t, g.most)
	require.Less(t, g.most, before.HeapAlloc+bound)
	t.Logf("%d MiB passed with at most %d MiB of the heap more than before", size>>20,
		int64(g.most-min(g.most, before.HeapAlloc))>>20)
}

// A content of any size comes back as it was, and is stored once.
func TestPut(t *testing.T) {
	f := open(t, farm.Options{})
	alone, err := farm.Local(farm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, alone.Close()) })
	for _, f := range []*farm.Farm{f, alone} {
		for _, size := range []int{0, 1, 128<<10 - 1, 128 << 10, 128<<10 + 1, 1 << 20} {
			b := make([]byte, size)
			r := seed.Rand(t, size)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			for range 2 {
				ref, err := f.Put(bg, bytes.NewReader(b))
				require.NoError(t, err)
				require.Equal(t, farm.RefOf(b), ref)
			}
			rc, err := f.OpenRef(bg, farm.RefOf(b))
			require.NoError(t, err)
			got, err := io.ReadAll(rc)
			require.NoError(t, err)
			require.NoError(t, rc.Close())
			require.True(t, bytes.Equal(b, got))
			// Under a wrong size it is not what was meant.
			wrong := farm.RefOf(b)
			wrong.Size++
			if rc, err = f.OpenRef(bg, wrong); err == nil {
				_, err = io.ReadAll(rc)
				rc.Close()
			}
			require.ErrorIs(t, err, farm.ErrInvalid)
		}
		_, err := f.OpenRef(bg, farm.RefOf([]byte("unknown")))
		require.Error(t, err)
		broken := io.MultiReader(io.LimitReader(&pattern{size: 1 << 20}, 1<<20), failing{})
		_, err = f.Put(bg, broken)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	s, err := f.Status(bg)
	require.NoError(t, err)
	require.Less(t, s.Contents, uint64(1<<20+3*(128<<10)+1<<17), "a broken one is taken away")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
