package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A full pool refuses, however often it is asked, and has the last record to give before.
func TestFullPool(t *testing.T) {
	most := min(entry.Limit, paged.Most())
	var p Pool[int]
	p.fresh.Store(most - 1)
	last, record := p.Take()
	require.Equal(t, most-1, last)
	require.NotNil(t, record)
	for range 3 {
		_, none := p.Take()
		require.Nil(t, none)
		require.Equal(t, most, p.fresh.Load(), "or it would come round")
	}
	p.Put(last)
	again, _ := p.Take()
	require.Equal(t, last, again)
}
