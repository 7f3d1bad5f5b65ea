package namedthread

import (
	"errors"

	"github.com/heddle-go/heddle/internal/osthread"
)

// setUp shows the name of a started thread on the calling OS thread and gives that what the
// Options ask for. It returns what the system refused.
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

// A look is what an attached thread changes of its OS thread.
type look struct {
	name     string
	affinity []int
}

// setUpAttached is setUp for an attached thread: it changes the processors only where they can be
// asked for, so that restore can put them back.
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

// restore puts back what setUpAttached changed. What was possible then is possible now.
func (t *Thread) restore() {
	if t.before.name != "" {
		osthread.SetName(t.before.name)
	}
	if len(t.before.affinity) > 0 {
		osthread.SetAffinity(t.before.affinity)
	}
}
