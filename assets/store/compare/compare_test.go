package compare_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store/compare"
)

const many = 100_000

// records returns what the registry writes for so many resources: 16 bytes of key that look random,
// in order, and some 110 bytes of value.
func records(n int) []compare.Record {
	all := make([]compare.Record, n)
	for i := range all {
		id := assets.ID(fmt.Sprintf("scenes/%03d/models/%06d.glb", i%997, i))
		g, h := assets.MakeGUID(id), assets.HashOf([]byte(id))
		all[i] = compare.Record{Key: g[:],
			Value: fmt.Appendf(nil, "%s %s model glb %s", id, id, h[:])}
	}
	slices.SortFunc(all, func(a, b compare.Record) int { return bytes.Compare(a.Key, b.Key) })
	return all
}

// Each of the stores has what was put, after it was opened again.
func TestStores(t *testing.T) {
	all := records(1000)
	for _, kind := range compare.Stores {
		dir := t.TempDir()
		s, err := kind.Open(dir)
		require.NoError(t, err)
		require.NoError(t, s.Put(all))
		require.NoError(t, s.Put(all[:3]))
		require.NoError(t, s.Close())
		s, err = kind.Open(dir)
		require.NoError(t, err)
		n := 0
		require.NoError(t, s.All(func(k, v []byte) {
			require.Equal(t, all[n], compare.Record{Key: k, Value: v}, kind.Name)
			n++
		}))
		require.Equal(t, len(all), n)
		require.NoError(t, s.Get(all[7].Key, func(v []byte) { require.Equal(t, all[7].Value, v) }))
		require.Error(t, s.Get([]byte("none"), func([]byte) {}))
		require.NoError(t, s.Close())
	}
}

// each runs a benchmark for each of the stores.
func each(b *testing.B, f func(b *testing.B, open func(dir string) compare.Store)) {
	for _, kind := range compare.Stores {
		b.Run(kind.Name, func(b *testing.B) {
			f(b, func(dir string) compare.Store {
				s, err := kind.Open(dir)
				require.NoError(b, err)
				return s
			})
		})
	}
}

// BenchmarkIndex writes all resources to an empty store at once.
func BenchmarkIndex(b *testing.B) {
	all := records(many)
	each(b, func(b *testing.B, open func(string) compare.Store) {
		size := int64(0)
		for b.Loop() {
			dir := b.TempDir()
			s := open(dir)
			require.NoError(b, s.Put(all))
			require.NoError(b, s.Close())
			b.StopTimer()
			size = 0
			err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
				if info, err := d.Info(); err == nil && !d.IsDir() {
					size += info.Size()
				}
				return err
			})
			require.NoError(b, err)
			b.StartTimer()
		}
		b.ReportMetric(float64(size)/many, "disk-B/resource")
	})
}

// BenchmarkStart opens a store and reads all of it.
func BenchmarkStart(b *testing.B) {
	all := records(many)
	each(b, func(b *testing.B, open func(string) compare.Store) {
		dir := b.TempDir()
		s := open(dir)
		require.NoError(b, s.Put(all))
		require.NoError(b, s.Close())
		b.ResetTimer()
		for b.Loop() {
			s := open(dir)
			n := 0
			require.NoError(b, s.All(func(_, _ []byte) { n++ }))
			require.Equal(b, many, n)
			require.NoError(b, s.Close())
		}
	})
}

// BenchmarkUpdate changes a few resources of many, in calls that each wait for the disk.
func BenchmarkUpdate(b *testing.B) {
	all := records(many)
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			each(b, func(b *testing.B, open func(string) compare.Store) {
				s := open(b.TempDir())
				require.NoError(b, s.Put(all))
				some := make([]compare.Record, n)
				i := 0
				for b.Loop() {
					for j := range some {
						some[j] = all[(i*7919+j*many/n)%many]
					}
					i++
					require.NoError(b, s.Put(some))
				}
				require.NoError(b, s.Close())
			})
		})
	}
}

// BenchmarkGet looks one resource up, in the store and in memory.
func BenchmarkGet(b *testing.B) {
	all := records(many)
	each(b, func(b *testing.B, open func(string) compare.Store) {
		s := open(b.TempDir())
		require.NoError(b, s.Put(all))
		i, n := 0, 0
		for b.Loop() {
			i += 7919
			if err := s.Get(all[i%many].Key, func(v []byte) { n += len(v) }); err != nil {
				b.Fatal(err)
			}
		}
		require.NoError(b, s.Close())
	})
	b.Run("memory", func(b *testing.B) {
		infos := make([]assets.Info, many)
		for i, r := range all {
			infos[i] = assets.Info{ID: assets.ID(fmt.Sprint(i)), GUID: assets.GUID(r.Key)}
		}
		m, err := assets.NewMemory(infos...)
		require.NoError(b, err)
		i := 0
		for b.Loop() {
			i += 7919
			if _, ok := m.Info(infos[i%many].GUID); !ok {
				b.Fatal("missing")
			}
		}
	})
}
