package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// full returns an Info that has something in each field.
func full(id assets.ID) assets.Info {
	return assets.Info{
		ID: id, GUID: assets.MakeGUID(id), Path: string(id) + ".png",
		Hash: assets.HashOf([]byte(id)), Type: "texture", Format: "png", Size: -1 << 62,
		Parent: assets.MakeGUID("parent"), Sub: true,
		Variants: []assets.Variant{
			{Platform: "android-low", API: "gles", Path: "low/" + string(id), Format: "ktx",
				Size: 1 << 40, Hash: assets.HashOf([]byte("low"))},
			{},
		},
	}
}

func openRegistry(t require.TestingT, file string) *store.Registry {
	r, err := store.OpenRegistry(file)
	require.NoError(t, err)
	return r
}

func TestRegistryComesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "below", "registry")
	r := openRegistry(t, file)
	require.NoError(t, r.Put(full("a"), assets.Info{ID: "b"}, full("c")))
	require.NoError(t, r.Delete(assets.MakeGUID("c"), assets.MakeGUID("none")))
	require.NoError(t, r.Close())

	r = openRegistry(t, file)
	g, ok := r.GUID("a")
	require.True(t, ok)
	info, ok := r.Info(g)
	require.True(t, ok)
	require.Equal(t, full("a"), info)
	info, ok = r.Info(assets.MakeGUID("b"))
	require.True(t, ok)
	require.Equal(t, assets.Info{ID: "b", GUID: assets.MakeGUID("b")}, info)
	_, ok = r.GUID("c")
	require.False(t, ok)
	require.Len(t, slices.Collect(r.All()), 2)
	require.NoError(t, r.Close())
	_, ok = r.GUID("a")
	require.True(t, ok, "what is in memory is found after Close")
	require.Error(t, r.Put(full("d")))
	_, ok = r.GUID("d")
	require.False(t, ok, "what is not in the file is not found")
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestRegistryPutsAllOrNothing(t *testing.T) {
	r := openRegistry(t, filepath.Join(t.TempDir(), "registry"))
	require.Error(t, r.Put(full("a"), assets.Info{}))
	require.Empty(t, slices.Collect(r.All()))
	require.NoError(t, r.Close())
}

func TestRegistryIsForOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry")
	r := openRegistry(t, file)
	_, err := store.OpenRegistry(file)
	require.ErrorIs(t, err, store.ErrLocked)
	require.NoError(t, r.Close())
	require.NoError(t, openRegistry(t, file).Close())
}

// IDs go over from one resource to another, resources get other IDs and go; a registry that is
// opened again says the same as one that was in memory all the time.
func TestRegistryAgainstMemory(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		file := filepath.Join(dir, fmt.Sprint(n))
		memory, err := assets.NewMemory()
		require.NoError(t, err)
		r := openRegistry(t, file)
		defer func() { require.NoError(t, r.Close()) }()
		guids := rapid.Custom(func(t *rapid.T) assets.GUID {
			return assets.GUID{1: byte(rapid.IntRange(1, 5).Draw(t, "guid"))}
		})
		infos := rapid.Custom(func(t *rapid.T) assets.Info {
			return assets.Info{GUID: guids.Draw(t, "of"), Size: rapid.Int64().Draw(t, "size"),
				ID: assets.ID(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id"))}
		})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				some := rapid.SliceOfN(infos, 0, 4).Draw(t, "infos")
				require.NoError(t, memory.Put(some...))
				require.NoError(t, r.Put(some...))
			},
			"delete": func(t *rapid.T) {
				some := rapid.SliceOfN(guids, 0, 2).Draw(t, "guids")
				require.NoError(t, memory.Delete(some...))
				require.NoError(t, r.Delete(some...))
			},
			"open again": func(t *rapid.T) {
				require.NoError(t, r.Close())
				r = openRegistry(t, file)
			},
			"": func(t *rapid.T) {
				for _, id := range []assets.ID{"a", "b", "c", "d"} {
					want, there := memory.GUID(id)
					got, ok := r.GUID(id)
					require.Equal(t, there, ok, id)
					require.Equal(t, want, got, id)
				}
				for i := range byte(6) {
					want, there := memory.Info(assets.GUID{1: i})
					got, ok := r.Info(assets.GUID{1: i})
					require.Equal(t, there, ok, i)
					require.Equal(t, want, got, i)
				}
			},
		})
	})
}

// Whatever is done to the file: it opens with all that was in it, or is found to be damaged.
func TestDamagedRegistry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry")
	r := openRegistry(t, file)
	var infos []assets.Info
	for i := range 2000 {
		infos = append(infos, full(assets.ID(fmt.Sprint("models/", i))))
	}
	require.NoError(t, r.Put(infos...))
	require.NoError(t, r.Delete(infos[0].GUID))
	require.NoError(t, r.Close())
	whole, err := os.ReadFile(file)
	require.NoError(t, err)

	// The tail of the file may be free pages.
	opens := func(why string, content []byte) bool {
		require.NoError(t, os.WriteFile(file, content, 0o666))
		r, err := store.OpenRegistry(file)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged, why)
			return false
		}
		require.NoError(t, r.Close())
		return true
	}
	require.True(t, opens("whole", whole))
	for _, size := range []int{0, 1, 100, 4096, 5000, 8192, 20000, 200000} {
		require.False(t, opens("cut off", whole[:size]), "cut off at %d of %d", size, len(whole))
	}
	require.False(t, opens("zeros", make([]byte, len(whole))))
	found := 0
	for at := 0; at < len(whole); at += 4096 {
		bad := bytes.Clone(whole)
		for i := at; i < min(at+64, len(bad)); i++ {
			bad[i] ^= 0x55
		}
		if !opens(fmt.Sprint("page at ", at), bad) {
			found++
		}
	}
	// One of the two meta pages may be lost, and pages that are free.
	require.Greater(t, found, len(whole)/4096/4)
}

func TestHalfAMetaPageIsTheOneBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "registry")
	r := openRegistry(t, file)
	require.NoError(t, r.Put(full("a")))
	require.NoError(t, r.Put(full("b")))
	require.NoError(t, r.Close())
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, at := range []int{0, 4096} {
		torn := bytes.Clone(whole)
		clear(torn[at+40 : at+4096])
		require.NoError(t, os.WriteFile(file, torn, 0o666))
		r := openRegistry(t, file)
		seen[len(slices.Collect(r.All()))] = true
		require.NoError(t, r.Close())
	}
	require.Equal(t, map[int]bool{1: true, 2: true}, seen, "the state before, and the last one")
}

func FuzzRecord(f *testing.F) {
	info := full("models/house.glb")
	f.Add(store.AppendRecord(nil, &info, false), true)
	f.Add(store.AppendRecord(nil, &assets.Info{ID: "x"}, true), false)
	f.Add([]byte{1, 0, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal && len(b) > 4 { // past the check sum
			b = store.Seal(b)
		}
		info, noID, err := store.ReadRecord(assets.GUID{1}, b)
		if err != nil {
			require.ErrorIs(t, err, store.ErrDamaged)
			return
		}
		again, noID2, err := store.ReadRecord(info.GUID, store.AppendRecord(nil, &info, noID))
		require.NoError(t, err)
		require.Equal(t, info, again)
		require.Equal(t, noID, noID2)
	})
}
