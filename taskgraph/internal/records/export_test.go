package records

import (
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Leave lets Take find that only n records are left that have not been made.
func (p *Pool[T]) Leave(n uint32) { p.fresh.Store(min(entry.Limit, paged.Most()) - n) }
