package places

import (
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Leave lets Place find that only n pages are left that nobody has had.
func (t *Table[G]) Leave(n uint32) { t.fresh.Store(min(entry.Limit, paged.Most())/Page - n) }
