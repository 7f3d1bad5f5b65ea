package namedthread

import (
	"strconv"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/sleepevent"
)

// Assertions says whether MustBeCurrent looks.
const Assertions = assertions

// OSThreadEntries counts the named threads that Current can find.
func OSThreadEntries() int {
	if m := byOSThread.Load(); m != nil {
		return len(*m)
	}
	return 0
}

// Fill enters threads that do not run until the registry is full.
func Fill(r *Registry) {
	for i := range MaxThreads {
		if err := r.add(newThread(r, strconv.Itoa(i), Options{})); err != nil {
			panic(err)
		}
	}
}

// PostJoining posts the work in which t takes its seat, and returns what is triggered when the one
// that waits for it may go on.
func PostJoining(t *Thread, s *turns.Scheduler) (*sleepevent.Signal, error) {
	j := &joining{s: s, up: sleepevent.NewSignal(sleepevent.Options{})}
	return j.up, t.Post(QueueMain, PriorityHigh, j, 0)
}

// SetGeneration makes gen the generation that index 0 of an empty registry had last.
func SetGeneration(r *Registry, gen uint32) {
	r.threads.Store(&roster{byIndex: []*Thread{nil}, used: []uint32{gen}})
}

// PassOn gives the calling OS thread the entry of another, as if the system had given it the id.
func PassOn(t *Thread) {
	for id, owner := range *byOSThread.Load() {
		if self, _ := osthread.ID(); owner == t && changeOSThread(id, t, nil) {
			changeOSThread(self, nil, t)
		}
	}
}

// Gone reports whether the OS thread of an attached thread is gone.
func Gone(t *Thread) bool { return !t.mark.Alive() }

// Triggered takes the trigger that is left for the next sleep of t, and reports whether there was
// one. The owner calls it.
func (t *Thread) Triggered() bool { return t.inbox.signal.Reset() }
