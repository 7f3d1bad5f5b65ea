package namedthread

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/osthread"
)

// MustBeCurrent panics if the caller is another thread than t, and names both: "must run on
// Render, runs on Audio". It is an assertion for functions whose callers must be on t, such as
// those that draw. It costs what [Current] does, and does nothing where OS threads have no id
// and in programs built with the tag heddle_noassert.
func (t *Thread) MustBeCurrent() {
	if !assertions {
		return
	}
	t.mustBe("MustBeCurrent")
	switch now, err := Current(); {
	case now == t:
	case err == nil:
		panic("namedthread: must run on " + t.name + ", runs on " + now.name)
	case err == ErrNotNamed:
		id, _ := osthread.ID()
		panic(fmt.Sprintf("namedthread: must run on %s, runs on no named thread (OS thread %d)",
			t.name, id))
	}
}
