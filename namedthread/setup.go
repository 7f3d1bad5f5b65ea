package namedthread

import (
	"errors"

	"github.com/heddle-go/heddle/internal/osthread"
)

// setUp gives the calling OS thread the name of a started thread and what the Options ask for. It
// returns what the system refused.
func (t *Thread) setUp() error {
	refused := []error{osthread.SetName(t.name)}
	if t.opts.Priority != ThreadNormal {
		refused = append(refused, osthread.SetPriority(t.opts.Priority.os()))
	}
	if len(t.opts.Affinity) > 0 {
		refused = append(refused, osthread.SetAffinity(t.opts.Affinity))
	}
	return errors.Join(refused...)
}

// A look is what an attached thread changes in its OS thread.
type look struct {
	name     string
	affinity []int
}

// setUpAttached is setUp for an attached thread: it changes the affinity only where it can be read,
// so that restore can put it back.
func (t *Thread) setUpAttached() error {
	var err, nameErr, affinityErr error
	t.before.name, err = osthread.Name()
	nameErr = osthread.SetName(t.name)
	if err != nil {
		t.before.name = ""
	}
	if len(t.opts.Affinity) > 0 {
		if t.before.affinity, affinityErr = osthread.Affinity(); affinityErr == nil {
			affinityErr = osthread.SetAffinity(t.opts.Affinity)
		}
	}
	return errors.Join(nameErr, affinityErr)
}

// restore puts back what setUpAttached changed, which is possible if the change was.
func (t *Thread) restore() {
	if t.before.name != "" {
		osthread.SetName(t.before.name)
	}
	if len(t.before.affinity) > 0 {
		osthread.SetAffinity(t.before.affinity)
	}
}
