//go:build modelcheck

package heddlehttp

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// Operations on a class.
const (
	opEnter int32 = iota + 1 // a request comes
	opLeave                  // its client goes, if it waits
	opRun                    // a call is run
	opLose                   // a call ends without having been run
)

// room is how many requests may wait.
const room = 2

// A queue is what a class has to be: requests in the order of their arrival, and the calls that
// have been launched for them.
type queue struct {
	waiting [room]int8
	n       int8
	calls   int8
}

// remove takes the request at an index out.
func (q *queue) remove(i int8) (v int64) {
	v = int64(q.waiting[i])
	copy(q.waiting[i:], q.waiting[i+1:])
	q.n--
	q.waiting[q.n] = 0
	return v
}

// step is what an operation does when it is the only one.
func step(q queue, c *history.Call) (queue, bool) {
	if c.Op >= opRun && q.calls == 0 {
		return q, false
	}
	switch c.Op {
	case opEnter:
		if q.n == room {
			return q, c.Status == history.Fail
		}
		q.waiting[q.n] = int8(c.Arg)
		q.n++
		q.calls = max(q.calls, q.n)
		return q, c.Status == history.OK
	case opLeave:
		for i := range q.n {
			if int64(q.waiting[i]) == c.Arg {
				q.remove(i)
				return q, c.Status == history.OK
			}
		}
		return q, c.Status == history.Fail
	case opRun:
		q.calls--
		v := int64(0)
		if q.n > 0 {
			v = q.remove(0)
		}
		return q, c.Ret == v
	default:
		q.calls--
		if q.calls < q.n {
			q.remove(q.n - 1)
		}
		return q, true
	}
}

// A desk is a class with the requests that have come, and with what stands for the system: calls
// that somebody is going to run, or to end.
type desk struct {
	class    *Class
	launched [32]atomics.Pointer[call]
	calls    atomics.Int32

	// By thread, 1 for A: its last request, that which it has served last, and its Context.
	mine    [8]int64 // or 0
	served  [8]int64
	context [8]taskgraph.Context

	came [16]*request // by value
	left [16]bool
}

func newDesk() *desk {
	d := new(desk)
	d.class = &Class{options: Options{MaxWaiting: room}}
	d.class.launch = func(k *call) { d.launched[d.calls.Add(1)-1].Store(k) }
	return d
}

// next returns a call that was launched, for the one who asks.
func (d *desk) next() *call {
	for i := range d.calls.Load() {
		if k := d.launched[i].Swap(nil); k != nil {
			return k
		}
	}
	return nil
}

func (d *desk) enter(l *modelcheck.Log, v int64) {
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for i := range d.context {
			if Worker(r.Context()) == &d.context[i] {
				d.served[i] = v
			}
		}
	})
	q := &request{class: d.class, handler: handler, r: new(http.Request),
		done: make(chan struct{})}
	l.Call(opEnter, v, func() (int64, int32) {
		if !d.class.enter(q) {
			return 0, history.Fail
		}
		d.came[v], d.mine[l.Thread()+1] = q, v
		return 0, history.OK
	})
}

func (d *desk) leave(l *modelcheck.Log, _ int64) {
	v := d.mine[l.Thread()+1]
	if v == 0 {
		return
	}
	d.mine[l.Thread()+1] = 0
	q := d.came[v]
	l.Call(opLeave, v, func() (int64, int32) {
		if !d.class.leave(q) {
			return 0, history.Fail
		}
		d.left[v] = true
		return 0, history.OK
	})
}

func (d *desk) run(l *modelcheck.Log, _ int64) {
	k := d.next()
	if k == nil {
		return
	}
	at := l.Thread() + 1
	l.Call(opRun, 0, func() (int64, int32) {
		d.served[at] = 0
		if err := k.Run(&d.context[at]); err != nil {
			panic(err)
		}
		k.ended(nil)
		return d.served[at], history.OK
	})
}

func (d *desk) lose(l *modelcheck.Log, _ int64) {
	if k := d.next(); k != nil {
		l.Call(opLose, 0, func() (int64, int32) {
			k.ended(http.ErrServerClosed)
			return 0, history.OK
		})
	}
}

// check says what is wrong when all calls have ended.
func (d *desk) check(calls []history.Call) string {
	c := d.class
	if c.waiting.len != 0 || c.waiting.first != nil || c.calls != 0 || c.waits.Load() != 0 {
		return fmt.Sprintf("%d wait, %d are said to, and there are %d calls", c.waiting.len,
			c.waits.Load(), c.calls)
	}
	for v, q := range d.came {
		if q == nil || d.left[v] {
			continue
		}
		select {
		case <-q.done:
		default:
			return fmt.Sprintf("request %d is neither served nor refused, and waits for ever", v)
		}
	}
	came := uint64(0)
	for _, x := range calls {
		if x.Op == opEnter {
			came++
		}
	}
	if s := c.Stats(); s.Running != 0 || s.Served+s.Refused+s.Gone != came {
		return fmt.Sprintf("of %d requests are %+v", came, s)
	}
	return ""
}

// TestModelClass: requests come and go while calls are run, and end without that. The class is a
// queue with a bound; who waits is called, and nobody waits for ever.
func TestModelClass(t *testing.T) {
	modelcheck.Programs(t, modelcheck.Structure[*desk]{
		Name: "Class",
		New:  newDesk,
		Ops: []modelcheck.Op[*desk]{
			{Name: "Enter", Do: (*desk).enter, Weight: 3},
			{Name: "Leave", Do: (*desk).leave},
			{Name: "Run", Do: (*desk).run, Weight: 2},
			{Name: "Lose", Do: (*desk).lose},
		},
		Judge: func() modelcheck.Judge {
			return history.NewChecker(history.Spec[queue]{Step: step, Name: callName})
		},
		Drain: func(d *desk, l *modelcheck.Log) {
			for range d.calls.Load() {
				d.run(l, 0)
			}
		},
		Check:    (*desk).check,
		CallName: callName,
	}, modelcheck.Budget{}, modelcheck.Options{})
}

func callName(c *history.Call) string {
	name := map[int32]string{opEnter: "Enter", opLeave: "Leave", opRun: "Run", opLose: "Lose"}[c.Op]
	switch {
	case c.Op == opRun:
		return fmt.Sprintf("Run() = %d", c.Ret)
	case c.Op == opLose:
		return "Lose()"
	case c.Status == history.Fail:
		return fmt.Sprintf("%s(%d) = no", name, c.Arg)
	}
	return fmt.Sprintf("%s(%d)", name, c.Arg)
}
