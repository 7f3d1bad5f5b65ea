package lockfree_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// Histories are recorded in windows: a few goroutines start together on a container that is
// empty, make a few calls each, and after them one goroutine takes what is left. A window is
// then searched for an order of steps that explains it. A value is a byte, unique in
// its window; the state of a model is a string or a struct of strings, so that states compare
// by ==.

const (
	windowClients = 3
	windowCalls   = 8
)

// kind is what a step does.
type kind byte

const (
	push    kind = iota // adds value on a level
	pop                 // takes value from a level
	nothing             // found all levels empty
	above               // found one level empty
	popAll              // takes values
	steal               // takes value from the top
	tryPush             // adds value, unless closed: then ok is false
	closing             // takes values and closes, unless closed: then ok is false
	closed              // asks whether the list is closed
	choose              // chooses a consumer for value to wake
	stall               // registers a consumer as stalled
	unstall             // takes a registration back; ok is false if it was gone
	wake                // chooses a consumer
)

// A step is one atomic step that a call claims to have made.
type step struct {
	kind     kind
	value    byte
	level    int
	consumer int
	ok       bool
	values   string
}

// A client records the calls of one goroutine.
type client struct {
	id      int
	rnd     *rand.Rand
	next    byte // the next unique value
	history []porcupine.Operation
	retries [][2]int64 // the calls that came to nothing since another took something
}

func (c *client) value() byte {
	c.next++
	return c.next
}

// call runs f, which returns the steps that the call claims to have made.
func (c *client) call(f func() []step) {
	start := atomics.Now()
	steps := f()
	end := atomics.Now()
	if steps == nil {
		c.retries = append(c.retries, [2]int64{start, end})
	}
	for _, s := range steps {
		c.history = append(c.history, porcupine.Operation{ClientId: c.id, Input: s, Call: start, Return: end})
	}
}

// A windowed is a container under test: prepare gives it for one window, call makes one
// random call, and drain one call that takes what is left, until it returns false.
type windowed struct {
	model   porcupine.Model
	windows int
	prepare func()
	call    func(c *client)
	drain   func(c *client) bool
}

func (w *windowed) run(t *testing.T) {
	t.Helper()
	// The test's goroutine is client 0. The others wait for the next window without blocking:
	// a goroutine that has to be woken first comes too late for calls of this length.
	var clients [windowClients]*client
	var round, arrived, finished atomics.Uint32
	var stop atomics.Bool
	play := func(i int) {
		arrived.Add(1)
		for arrived.Load() < round.Load()*windowClients {
			runtime.Gosched()
		}
		c := clients[i]
		for range windowCalls {
			w.call(c)
			if c.rnd.IntN(16) == 0 {
				runtime.Gosched()
			}
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop.Store(true)
	for i := 1; i < windowClients; i++ {
		wg.Go(func() {
			for next := uint32(1); ; next++ {
				for round.Load() != next {
					if stop.Load() {
						return
					}
					runtime.Gosched()
				}
				play(i)
				finished.Add(1)
			}
		})
	}

	// On a machine that is busy with other things a window may take a thousand times longer;
	// then a tenth of them must do.
	windows, least, begin := scaled(w.windows), scaled(w.windows)/10, atomics.Now()
	played, overlaps := 0, 0
	for window := range windows {
		if window > least && atomics.Now()-begin > int64(time.Second) {
			break
		}
		played++
		w.prepare()
		for i := range clients {
			clients[i] = &client{id: i, rnd: rand.New(rand.NewPCG(uint64(window), uint64(i))), next: byte(i * windowCalls)}
		}
		round.Store(uint32(window + 1))
		play(0)
		for finished.Load() != uint32(window+1)*(windowClients-1) {
			runtime.Gosched()
		}
		var history []porcupine.Operation
		var retries [][2]int64
		for _, c := range clients {
			history = append(history, c.history...)
			retries = append(retries, c.retries...)
		}
		last := &client{id: windowClients}
		for w.drain(last) {
		}
		require.Empty(t, last.retries, "retry without a peer")
		history = append(history, last.history...)
		for _, r := range retries {
			require.True(t, explained(r, history), "window %d: a retry that overlaps no other taking\n%s", window, describe(history))
		}
		overlaps += overlapping(history)
		switch porcupine.CheckOperationsTimeout(w.model, history, time.Minute) {
		case porcupine.Ok:
		case porcupine.Illegal:
			t.Fatalf("window %d cannot be explained:\n%s", window, describe(history))
		default:
			t.Fatalf("window %d is undecided", window)
		}
	}
	t.Logf("%d overlapping pairs of calls in %d windows", overlaps, played)
}

// explained reports whether a taking overlaps the span of a call that was told to retry.
func explained(span [2]int64, history []porcupine.Operation) bool {
	for _, op := range history {
		if s := op.Input.(step); (s.kind == pop || s.kind == steal) && op.Call <= span[1] && span[0] <= op.Return {
			return true
		}
	}
	return false
}

func overlapping(history []porcupine.Operation) (n int) {
	for i, a := range history {
		for _, b := range history[:i] {
			if a.ClientId != b.ClientId && a.Call < b.Return && b.Call < a.Return {
				n++
			}
		}
	}
	return n
}

var kindNames = [...]string{"push", "pop", "nothing", "above", "popAll", "steal", "tryPush", "closing", "closed", "choose", "stall", "unstall", "wake"}

func describe(history []porcupine.Operation) string {
	var b strings.Builder
	for _, op := range history {
		s := op.Input.(step)
		b.WriteString(strings.Join([]string{
			itoa(op.Call), itoa(op.Return), "client", itoa(int64(op.ClientId)), kindNames[s.kind],
			"value", itoa(int64(s.value)), "level", itoa(int64(s.level)), "consumer", itoa(int64(s.consumer)),
			map[bool]string{true: "ok", false: "-"}[s.ok], "values", strings.Join(strings.Split(s.values, ""), " "), "\n"}, " "))
	}
	return b.String()
}

func itoa(n int64) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// model makes a porcupine model of a function that returns the next state.
func model[S comparable](next func(state S, s step) (S, bool)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { var zero S; return zero },
		Step: func(state, input, _ any) (bool, any) {
			after, ok := next(state.(S), input.(step))
			return ok, after
		},
		DescribeOperation: func(input, _ any) string { return kindNames[input.(step).kind] },
	}
}

// levelState is what a queue with priorities holds, and for a StallingQueue also whose push is
// yet to choose, and who is stalled.
type levelState struct {
	levels  [3]string
	pending string
	stalled uint32
}

func (l levelState) empty() bool { return l.levels == [3]string{} }

// queueModel explains Queue, PriorityQueue and StallingQueue. A Pop that takes from a level
// claims one step for each level above, which it saw empty, and one for the taking.
var queueModel = model(func(l levelState, s step) (levelState, bool) {
	level := &l.levels[s.level]
	switch s.kind {
	case push:
		*level += string([]byte{s.value})
		if s.consumer != noConsumer {
			l.pending = insert(l.pending, s.value)
		}
	case pop:
		if *level == "" || (*level)[0] != s.value {
			return l, false
		}
		*level = (*level)[1:]
	case above:
		return l, *level == ""
	case nothing:
		return l, l.empty()
	case choose:
		at := strings.IndexByte(l.pending, s.value)
		if at < 0 || s.consumer != lowest(l.stalled) {
			return l, false
		}
		l.pending = l.pending[:at] + l.pending[at+1:]
		l.stalled &= l.stalled - 1
	case stall:
		// Whatever is there belongs to a Push that will choose after this.
		for _, values := range l.levels {
			for i := range len(values) {
				if strings.IndexByte(l.pending, values[i]) < 0 {
					return l, false
				}
			}
		}
		if l.stalled>>s.consumer&1 == 1 {
			return l, false
		}
		l.stalled |= 1 << s.consumer
	case unstall:
		is := l.stalled>>s.consumer&1 == 1
		l.stalled &^= 1 << s.consumer
		return l, is == s.ok
	case wake:
		if s.consumer != lowest(l.stalled) {
			return l, false
		}
		l.stalled &= l.stalled - 1
	}
	return l, true
})

// noConsumer marks a push that wakes nobody.
const noConsumer = -2

// insert adds a byte to a sorted string, so that equal sets are equal strings.
func insert(set string, v byte) string {
	at := 0
	for at < len(set) && set[at] < v {
		at++
	}
	return set[:at] + string([]byte{v}) + set[at:]
}

func lowest(set uint32) int {
	if set == 0 {
		return -1
	}
	return bits.TrailingZeros32(set)
}

// lifoModel explains Stack, and Deque with steal from the other end.
var lifoModel = model(func(values string, s step) (string, bool) {
	n := len(values)
	switch s.kind {
	case push:
		return values + string([]byte{s.value}), true
	case pop:
		if n == 0 || values[n-1] != s.value {
			return values, false
		}
		return values[:n-1], true
	case steal:
		if n == 0 || values[0] != s.value {
			return values, false
		}
		return values[1:], true
	case nothing:
		return values, n == 0
	case popAll:
		for i := range n {
			if len(s.values) != n || s.values[i] != values[n-1-i] {
				return values, false
			}
		}
		return "", len(s.values) == n
	}
	return values, false
})

type listState struct {
	values string
	closed bool
}

var listModel = model(func(l listState, s step) (listState, bool) {
	switch s.kind {
	case tryPush:
		if s.ok {
			l.values += string([]byte{s.value})
		}
		return l, s.ok != l.closed
	case closing:
		if !s.ok {
			return l, l.closed
		}
		return listState{closed: true}, !l.closed && l.values == s.values
	default:
		return l, s.ok == l.closed
	}
})

func popSteps(v byte, ok bool) []step {
	if !ok {
		return []step{{kind: nothing}}
	}
	return []step{{kind: pop, value: v}}
}

func TestStackLinearizable(t *testing.T) {
	s := lockfree.NewStackAt[byte](lockfree.TakingsLimit - 1000)
	w := windowed{
		model:   lifoModel,
		windows: 5000,
		prepare: func() {}, // the same stack, so that nodes are used again
		call: func(c *client) {
			switch c.rnd.IntN(10) {
			case 0, 1, 2, 3, 4:
				v := c.value()
				c.call(func() []step { s.Push(v); return []step{{kind: push, value: v}} })
			case 5:
				c.call(func() []step { return []step{{kind: popAll, values: string(s.PopAll(nil))}} })
			default:
				c.call(func() []step { return popSteps(s.Pop()) })
			}
		},
		drain: func(c *client) bool {
			ok := false
			c.call(func() (steps []step) {
				var v byte
				v, ok = s.Pop()
				return popSteps(v, ok)
			})
			return ok
		},
	}
	w.run(t)
}

func TestQueueLinearizable(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		var q *lockfree.Queue[byte]
		w := windowed{
			model:   queueModel,
			windows: 2000,
			prepare: func() { q = lockfree.NewQueueAt[byte](math.MaxUint64-4, size) },
			call: func(c *client) {
				if c.rnd.IntN(2) == 0 {
					v := c.value()
					c.call(func() []step { q.Push(v); return []step{{kind: push, value: v, consumer: noConsumer}} })
				} else {
					c.call(func() []step { return popSteps(q.Pop()) })
				}
			},
			drain: func(c *client) (ok bool) {
				c.call(func() []step {
					var v byte
					v, ok = q.Pop()
					return popSteps(v, ok)
				})
				return ok
			},
		}
		w.run(t)
	}
}

// A value of a queue with priorities tells its level.
const levelsUsed = 3

func levelOf(v byte) int { return int(v) % levelsUsed }

// levelSteps are the steps of a Pop from a queue with priorities.
func levelSteps(v byte, ok bool) (steps []step) {
	if !ok {
		return []step{{kind: nothing}}
	}
	for level := range levelOf(v) {
		steps = append(steps, step{kind: above, level: level})
	}
	return append(steps, step{kind: pop, value: v, level: levelOf(v)})
}

func TestPriorityQueueLinearizable(t *testing.T) {
	var q *lockfree.PriorityQueue[byte]
	w := windowed{
		model:   queueModel,
		windows: 5000,
		prepare: func() { q = lockfree.NewPriorityQueueAt[byte](levelsUsed, math.MaxUint64-3, 2) },
		call: func(c *client) {
			if c.rnd.IntN(5) < 2 {
				v := c.value()
				c.call(func() []step {
					q.Push(v, levelOf(v))
					return []step{{kind: push, value: v, level: levelOf(v), consumer: noConsumer}}
				})
			} else {
				c.call(func() []step { return levelSteps(q.Pop()) })
			}
		},
		drain: func(c *client) (ok bool) {
			c.call(func() []step {
				var v byte
				v, ok = q.Pop()
				return levelSteps(v, ok)
			})
			return ok
		},
	}
	w.run(t)
}

// Each client is producer and consumer; one that stalled takes its registration back in its
// next call. A Push claims two steps, in this order: it appends, it chooses.
func TestStallingQueueLinearizable(t *testing.T) {
	var q *lockfree.StallingQueue[byte]
	var stalled [windowClients + 1]bool
	take := func(c *client, mayStall bool) (ok bool) {
		c.call(func() []step {
			v, r := q.Pop(c.id, mayStall)
			ok = r == lockfree.PopOK
			if r == lockfree.PopStalled {
				stalled[c.id] = true
				return []step{{kind: stall, consumer: c.id}}
			}
			return levelSteps(v, ok)
		})
		return ok
	}
	w := windowed{
		model:   queueModel,
		windows: 5000,
		prepare: func() {
			q = lockfree.NewStallingQueueAt[byte](levelsUsed, windowClients+1, lockfree.CountLimit-8, math.MaxUint64-3, 2)
			clear(stalled[:])
		},
		call: func(c *client) {
			what := c.rnd.IntN(10)
			switch {
			case what < 4:
				v := c.value()
				c.call(func() []step {
					woken := q.Push(v, levelOf(v))
					return []step{{kind: push, value: v, level: levelOf(v)}, {kind: choose, value: v, consumer: woken}}
				})
			case stalled[c.id]:
				c.call(func() []step {
					stalled[c.id] = false
					return []step{{kind: unstall, consumer: c.id, ok: !q.Unstall(c.id)}}
				})
			case what == 4:
				c.call(func() []step { return []step{{kind: wake, consumer: q.Wake()}} })
			default:
				take(c, what%2 == 0)
			}
		},
		drain: func(c *client) bool { return take(c, false) },
	}
	w.run(t)
}

func TestClosableListLinearizable(t *testing.T) {
	var l *lockfree.ClosableList[byte]
	w := windowed{
		model:   listModel,
		windows: 5000,
		prepare: func() { l = new(lockfree.ClosableList[byte]) },
		call: func(c *client) {
			switch what := c.rnd.IntN(20); {
			case what == 0 || what < 4 && c.id == 0:
				c.call(func() []step {
					items, ok := l.Close(nil)
					return []step{{kind: closing, ok: ok, values: string(items)}}
				})
			case what < 6:
				c.call(func() []step { return []step{{kind: closed, ok: l.Closed()}} })
			default:
				v := c.value()
				c.call(func() []step { return []step{{kind: tryPush, value: v, ok: l.TryPush(v)}} })
			}
		},
		drain: func(c *client) (ok bool) {
			c.call(func() []step {
				var items []byte
				items, ok = l.Close(nil)
				return []step{{kind: closing, ok: ok, values: string(items)}}
			})
			return ok
		},
	}
	w.run(t)
}

// Client 0 owns the deque; the others steal. A retry claims no step, but must overlap a taking.
func TestDequeLinearizable(t *testing.T) {
	var d *lockfree.Deque[uint32]
	steals := func(c *client) (ok bool) {
		c.call(func() []step {
			switch v, r := d.Steal(); r {
			case lockfree.StealOK:
				ok = true
				return []step{{kind: steal, value: byte(v)}}
			case lockfree.StealEmpty:
				return []step{{kind: nothing}}
			default:
				return nil
			}
		})
		return ok
	}
	w := windowed{
		model:   lifoModel,
		windows: 5000,
		prepare: func() { d = lockfree.NewDequeAt[uint32](math.MaxUint64 - 3) },
		call: func(c *client) {
			switch {
			case c.id != 0:
				steals(c)
			case c.rnd.IntN(5) < 3:
				v := c.value()
				c.call(func() []step { d.Push(uint32(v)); return []step{{kind: push, value: v}} })
			default:
				c.call(func() []step {
					v, ok := d.Pop()
					return popSteps(byte(v), ok)
				})
			}
		},
		drain: steals,
	}
	w.run(t)
}

// The models must be able to say no.
func TestModelsRefuse(t *testing.T) {
	at := func(call, ret int64, s step) porcupine.Operation {
		return porcupine.Operation{Input: s, Call: call, Return: ret}
	}
	for name, c := range map[string]struct {
		model   porcupine.Model
		history []porcupine.Operation
	}{
		"queue out of order": {queueModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 1, consumer: noConsumer}), at(3, 4, step{kind: push, value: 2, consumer: noConsumer}), at(5, 6, step{kind: pop, value: 2})}},
		"false empty": {queueModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 1, consumer: noConsumer}), at(3, 4, step{kind: nothing}), at(5, 6, step{kind: pop, value: 1})}},
		"passed over": {queueModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 3, consumer: noConsumer}), at(1, 2, step{kind: push, value: 1, level: 1, consumer: noConsumer}),
			at(3, 4, step{kind: above}), at(3, 4, step{kind: pop, value: 1, level: 1}), at(5, 6, step{kind: pop, value: 3})}},
		"stalled beside a value": {queueModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 1}), at(1, 2, step{kind: choose, value: 1, consumer: -1}), at(3, 4, step{kind: stall})}},
		"lost wake-up": {queueModel, []porcupine.Operation{
			at(1, 2, step{kind: stall}), at(3, 4, step{kind: push, value: 1}), at(3, 4, step{kind: choose, value: 1, consumer: -1})}},
		"stack upside down": {lifoModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 1}), at(3, 4, step{kind: push, value: 2}), at(5, 6, step{kind: pop, value: 1})}},
		"half of all": {lifoModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 1}), at(3, 4, step{kind: push, value: 2}), at(5, 6, step{kind: popAll, values: "\x02"})}},
		"taken twice": {lifoModel, []porcupine.Operation{
			at(1, 2, step{kind: push, value: 1}), at(3, 6, step{kind: pop, value: 1}), at(3, 6, step{kind: steal, value: 1})}},
		"added after close": {listModel, []porcupine.Operation{
			at(1, 2, step{kind: closing, ok: true}), at(3, 4, step{kind: tryPush, value: 1, ok: true})}},
		"closed twice": {listModel, []porcupine.Operation{
			at(1, 4, step{kind: closing, ok: true}), at(1, 4, step{kind: closing, ok: true})}},
		"left out": {listModel, []porcupine.Operation{
			at(1, 2, step{kind: tryPush, value: 1, ok: true}), at(3, 4, step{kind: closing, ok: true})}},
	} {
		require.False(t, porcupine.CheckOperations(c.model, c.history), name)
	}
	alone := []porcupine.Operation{at(10, 20, step{kind: pop})}
	require.True(t, explained([2]int64{20, 30}, alone))
	require.False(t, explained([2]int64{21, 30}, alone))
}
