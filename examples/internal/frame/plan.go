package frame

import (
	"fmt"
	"slices"
	"time"
)

// A place says who runs a step.
type place uint8

const (
	anywhere place = iota // the workers
	onGame                // the game thread
	onRender              // the render thread, a frame later
	onAudio               // the audio thread
)

// later tells whether the steps of a place belong to the frame before: the render thread is one
// behind.
func (p place) later() bool { return p == onRender }

func (p place) String() string { return [...]string{"workers", "Game", "Render", "Audio"}[p] }

// A class is one of the four that objects have towards the simulation, see package scene.
type class uint8

const (
	classNone      class = iota // of the frame as a whole
	classInput                  // inputs to the simulation
	classSimulated              // simulated
	classDependent              // dependent on what is simulated
	classUnrelated              // neither
)

func (c class) String() string {
	return [...]string{"frame", "input", "simulated", "dependent", "unrelated"}[c]
}

// A step is one kind of work in a frame: a call, or a call for each range of some objects, which
// may be cut in any way and done in any order. What it does must depend on nothing but what the
// steps before it have done.
type step struct {
	name  string
	after []string // steps of the same frame that come before it
	place place
	class class
	group group // in which it starts
	end   group // by which it ends; anything less than group: group
	high  bool  // a long path hangs on it

	objects func() int // how many, asked when the step begins; nil: one call with the range [0, 1)
	grain   int        // objects a range; 0: whatever pays
	work    func(frame, lo, hi int)

	// finish, if not nil, runs on the game thread when all objects are done, before what comes
	// after the step.
	finish func(frame int)

	// missing, if not nil, says whether something that the step works on is still on its way. Then
	// the step is put off until that has come.
	missing func(frame int) *arrival

	// asks, if not nil, is asked when the step could begin, and says whether it must also come
	// after the step maybe. So what has been found out until then decides whether there is another
	// dependency.
	asks  func(frame int) bool
	maybe string

	// first, if not nil, is the first part of what there is to do about one object, and comes
	// before its work. It says whether that must also come after the step maybe: so each object
	// finds out for itself whether it has another dependency.
	first func(frame, k int) bool

	// feeds say who can go on as soon as one object is done, without the others.
	feeds []*feed

	before []int // numbers of after
	last   int   // number of maybe
}

// A feed connects the objects of one step with those of another, which depends on them one by one.
type feed struct {
	to   string              // the other step; its work is called for one object at a time
	of   func(i int) []int32 // the objects of to that go on when object i is done
	most int                 // objects of to that there ever are

	step int // number of to
}

// A plan is all the steps of a frame.
type plan struct {
	steps []step // in an order that the dependencies allow
	dt    time.Duration
	next  func(frame int) error // what the game thread does between two frames; or nil
	gate  []int                 // what the later steps wait for where there are few processors
}

// A group is the number of a tick group.
type group int

const (
	groupInput group = iota
	groupStartPhysics
	groupDuringPhysics
	groupEndPhysics
	groupPostPhysics
	groupDraw
	groups
)

var groupNames = [groups]string{"input", "start physics", "during physics", "end physics",
	"post physics", "draw"}

// newPlan resolves the names. It panics if a step comes after one that is not before it in the
// list: then the list is no order to play the frame in.
func newPlan(dt time.Duration, steps []step) *plan {
	p := &plan{steps: steps, dt: dt}
	number := map[string]int{}
	for i := range steps {
		s := &steps[i]
		for _, name := range s.after {
			k, ok := number[name]
			if !ok {
				panic(fmt.Sprintf("step %q comes after %q, which is not before it", s.name, name))
			}
			if steps[k].place.later() != s.place.later() {
				panic(fmt.Sprintf("step %q comes after %q, which belongs to another frame", s.name,
					name))
			}
			s.before = append(s.before, k)
		}
		if _, twice := number[s.name]; twice {
			panic(fmt.Sprintf("two steps named %q", s.name))
		}
		if s.asks != nil || s.first != nil {
			k, ok := number[s.maybe]
			if !ok || steps[k].place.later() || s.place.later() {
				panic(fmt.Sprintf("step %q may come after %q, which is not before it", s.name,
					s.maybe))
			}
			s.last = k
		}
		number[s.name] = i
	}
	for i := range steps {
		for _, fd := range steps[i].feeds {
			k, ok := number[fd.to]
			if !ok || k <= i {
				panic(fmt.Sprintf("step %q feeds %q, which is not after it", steps[i].name, fd.to))
			}
			fd.step = k
		}
	}
	return p
}

// follows returns the steps that this one may have to wait for.
func (s *step) follows() []int {
	if s.asks == nil && s.first == nil {
		return s.before
	}
	return append(s.before[:len(s.before):len(s.before)], s.last)
}

// isFeeding tells whether the step feeds another one.
func (s *step) isFeeding(to int) bool {
	return slices.ContainsFunc(s.feeds, func(fd *feed) bool { return fd.step == to })
}

// do does the work on the objects [lo, hi), when all is done that it may have to come after.
func (s *step) do(frame, lo, hi int) {
	if s.first != nil {
		for k := lo; k < hi; k++ {
			s.first(frame, k)
		}
	}
	s.work(frame, lo, hi)
}

// size returns the number of objects.
func (s *step) size() int {
	if s.objects == nil {
		return 1
	}
	return s.objects()
}
