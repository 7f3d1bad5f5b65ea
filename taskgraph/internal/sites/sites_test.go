package sites_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/sites"
)

//go:noinline
func made(t *sites.Table, index uint32, ref uint64) { t.Note(index, ref, 1) }

// The site of an event is kept until the next one has its index.
func TestSites(t *testing.T) {
	var table sites.Table
	require.Empty(t, table.Of(3, 7))
	_, _, line, _ := runtime.Caller(0)
	made(&table, 3, 7)
	require.Equal(t, fmt.Sprintf("sites_test.go:%d", line+1), table.Of(3, 7))
	require.Empty(t, table.Of(2, 7))
	require.Empty(t, table.Of(3, 8))
	made(&table, 3, 8)
	require.Empty(t, table.Of(3, 7))
	require.Equal(t, fmt.Sprintf("sites_test.go:%d", line+5), table.Of(3, 8))
}

type of[T any] struct{}

//go:noinline
func (of[T]) make(t *sites.Table) { t.Note(0, 1, 0) }

// The types of a generic function are no part of its path.
func TestSiteInAGenericFunction(t *testing.T) {
	var table sites.Table
	of[sites.Table]{}.make(&table)
	require.Contains(t, table.Of(0, 1), "sites_test.go:")
}

// An event that this library makes for itself, with no caller of a user near, has no site.
func TestSiteInTheLibraryAlone(t *testing.T) {
	var table sites.Table
	table.NoteBelow(0, 1, sites.Depth)
	require.Empty(t, table.Of(0, 1))
	table.NoteBelow(0, 2, sites.Depth-1)
	require.Contains(t, table.Of(0, 2), "sites_test.go:")
}

// An event of which no caller is known has no site.
func TestSiteWithoutCallers(t *testing.T) {
	var table sites.Table
	table.Note(0, 1, 1_000)
	require.Empty(t, table.Of(0, 1))
}

// What belongs to this library is told by the path of a function, whatever types it is of.
func TestWhoseFunction(t *testing.T) {
	const library = "github.com/heddle-go/heddle/taskgraph"
	for function, ours := range map[string]bool{
		library + ".(*System).Launch":                          true,
		library + "/future.Go[...]":                            true,
		library + "/future.Go[github.com/a/b.T]":               true,
		library + ".Each[go.shape.struct { a/b int }]":         true,
		library + "/internal/sites_test.TestSites":             false,
		library + "er.New":                                     false,
		"github.com/a/b.Do[" + library + ".Task]":              false,
		"github.com/a/b.(*T[" + library + "/future.F[int]]).f": false,
		"main.main":      false,
		"main.do[int]":   false,
		"main.do[a/b.T]": false,
		"":               false,
	} {
		require.Equal(t, ours, sites.IsOurs(function), function)
	}
}

// The last note of an event counts, and none of another event.
func TestNotes(t *testing.T) {
	var notes sites.Notes[int]
	require.Nil(t, notes.Of(5000, 1))
	a, b := 1, 2
	notes.Put(5000, 1, &a)
	require.Same(t, &a, notes.Of(5000, 1))
	require.Nil(t, notes.Of(5000, 2))
	require.Nil(t, notes.Of(5001, 1))
	notes.Put(5000, 1, &b)
	require.Same(t, &b, notes.Of(5000, 1))
	notes.Put(5000, 2, &a)
	require.Same(t, &a, notes.Of(5000, 2))
	require.Nil(t, notes.Of(5000, 1))
}
