package ark_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

// The components of random worlds. They are different types of the same form.
type (
	c0 struct{ V uint64 }
	c1 struct{ V uint64 }
	c2 struct{ V uint64 }
	c3 struct{ V uint64 }
	c4 struct{ V uint64 }
)

const kinds = 5

// A handle is a component of any of these types, as a system sees it.
type handle struct {
	c    ark.Component
	rows func(c *ark.Chunk, i int) *uint64
}

func readOf[T any](v func(*T) *uint64) func(*ark.Access) handle {
	return func(a *ark.Access) handle {
		h := ark.ReadOf[T](a)
		return handle{h, func(c *ark.Chunk, i int) *uint64 { return v(&h.Of(c)[i]) }}
	}
}

func writeOf[T any](v func(*T) *uint64) func(*ark.Access) handle {
	return func(a *ark.Access) handle {
		h := ark.WriteOf[T](a)
		return handle{h, func(c *ark.Chunk, i int) *uint64 { return v(&h.Of(c)[i]) }}
	}
}

type (
	adding   func(*ark.Commands, ecs.Entity, uint64)
	removing func(*ark.Commands, ecs.Entity)
)

// changerOf returns what adds and removes a component by commands.
func changerOf[T any](of func(uint64) T) func(*ark.Access) (adding, removing) {
	return func(a *ark.Access) (adding, removing) {
		adder, remover := ark.AddTo[T](a), ark.RemoveFrom[T](a)
		add := func(c *ark.Commands, e ecs.Entity, v uint64) { adder.Add(c, e, of(v)) }
		return add, remover.Remove
	}
}

var (
	v0, v1 = func(c *c0) *uint64 { return &c.V }, func(c *c1) *uint64 { return &c.V }
	v2     = func(c *c2) *uint64 { return &c.V }
	v3, v4 = func(c *c3) *uint64 { return &c.V }, func(c *c4) *uint64 { return &c.V }

	reads = [kinds]func(*ark.Access) handle{
		readOf(v0),
		readOf(v1),
		readOf(v2),
		readOf(v3),
		readOf(v4),
	}
	writes = [kinds]func(*ark.Access) handle{
		writeOf(v0),
		writeOf(v1),
		writeOf(v2),
		writeOf(v3),
		writeOf(v4),
	}

	changers = [kinds]func(*ark.Access) (adding, removing){
		changerOf(
			func(v uint64) c0 { return c0{v} },
		),
		changerOf(func(v uint64) c1 { return c1{v} }),
		changerOf(
			func(v uint64) c2 { return c2{v} },
		),
		changerOf(func(v uint64) c3 { return c3{v} }),
		changerOf(func(v uint64) c4 { return c4{v} }),
	}
	comps = [kinds]ecs.Comp{ecs.C[c0](), ecs.C[c1](), ecs.C[c2](), ecs.C[c3](), ecs.C[c4]()}
)

// A plan is a random system: for each entity that has what it reads and writes and lacks what it is
// without, it adds to each component that it writes a number made of all that it sees, and
// sometimes changes the entity.
type plan struct {
	reads, writes []int
	without       int // or -1
	factor        uint64
	change        int // 0: nothing; 1: removes; 2: adds; 3: takes away; 4: makes another
	kind          int // what is added or taken away
	rare          uint64
	flush         bool // a flush point instead of all this
}

func (p plan) seen(values func(kind int) *uint64) uint64 {
	sum := p.factor
	for _, k := range append(append([]int(nil), p.reads...), p.writes...) {
		sum = sum*31 + *values(k)
	}
	return sum
}

func (p plan) system(a *ark.Access) ark.Body {
	var hs [kinds]handle
	var need []ark.Component
	for _, k := range p.reads {
		hs[k] = reads[k](a)
		need = append(need, hs[k].c)
	}
	for _, k := range p.writes {
		hs[k] = writes[k](a)
		need = append(need, hs[k].c)
	}
	q := a.Query(need...)
	if p.without >= 0 {
		q.Without(comps[p.without])
	}
	add, remove := func(*ark.Commands, ecs.Entity, uint64) {}, func(*ark.Commands, ecs.Entity) {}
	if p.change > 0 {
		add, remove = changers[p.kind](a)
	}
	return func(r *ark.Run) error {
		return r.Each(q, func(c *ark.Chunk) {
			for i := range c.Len() {
				sum := p.seen(func(k int) *uint64 { return hs[k].rows(c, i) })
				for _, k := range p.writes {
					*hs[k].rows(c, i) += sum
				}
				if p.change == 0 || sum%p.rare != 0 {
					continue
				}
				switch p.change {
				case 1:
					c.Commands().RemoveEntity(c.Entity(i))
				case 2:
					add(c.Commands(), c.Entity(i), sum)
				case 3:
					remove(c.Commands(), c.Entity(i))
				case 4:
					c.Commands().Do(func(w *ecs.World) { makeEntity(w, sum) })
				}
			}
		})
	}
}

// makeEntity makes an entity with one component to three, all decided by a number.
func makeEntity(w *ecs.World, n uint64) {
	var ids []ecs.ID
	for k := range kinds {
		if n>>k&1 == 1 || k == int(n/64%kinds) {
			ids = append(ids, ecs.TypeID(w, comps[k].Type()))
		}
	}
	e := w.Unsafe().NewEntity(ids...)
	for i, id := range ids {
		(*c0)(w.Unsafe().Get(e, id)).V = n + uint64(i) // all have the same form
	}
}

// reference runs a frame with Ark alone, from the text of this test's plan: systems in order, and
// changes collected and made at flush points and at the end.
func reference(w *ecs.World, plans []plan, enabled []bool) {
	var later []func()
	flush := func() {
		for _, f := range later {
			f()
		}
		later = nil
	}
	u := w.Unsafe()
	for n, p := range plans {
		if !enabled[n] {
			continue
		}
		if p.flush {
			flush()
			continue
		}
		var ids []ecs.ID
		for _, k := range append(append([]int(nil), p.reads...), p.writes...) {
			ids = append(ids, ecs.TypeID(w, comps[k].Type()))
		}
		filter := ecs.NewUnsafeFilter(w, ids...)
		if p.without >= 0 {
			filter = filter.Without(ecs.TypeID(w, comps[p.without].Type()))
		}
		for q := filter.Query(); q.Next(); {
			get := func(k int) *uint64 { return &(*c0)(q.Get(ecs.TypeID(w, comps[k].Type()))).V }
			sum := p.seen(get)
			for _, k := range p.writes {
				*get(k) += sum
			}
			if p.change == 0 || sum%p.rare != 0 {
				continue
			}
			e, id := q.Entity(), ecs.TypeID(w, comps[p.kind].Type())
			later = append(later, func() {
				if p.change == 4 {
					makeEntity(w, sum)
					return
				}
				if !w.Alive(e) {
					return
				}
				switch has := u.Has(e, id); {
				case p.change == 1:
					w.RemoveEntity(e)
				case p.change == 2:
					if !has {
						u.Add(e, id)
					}
					(*c0)(u.Get(e, id)).V = sum
				case p.change == 3 && has:
					u.Remove(e, id)
				}
			})
		}
	}
	flush()
}

// contents returns all that is in a world, in the order of its tables.
func contents(w *ecs.World) string {
	var text []byte
	for q := ecs.NewFilter0(w).Query(); q.Next(); {
		e := q.Entity()
		text = fmt.Appendf(text, "%d.%d", e.ID(), e.Gen())
		ids := w.Unsafe().IDs(e)
		for i := range ids.Len() {
			text = fmt.Appendf(
				text,
				" %d=%x",
				ids.Get(i).Index(),
				(*c0)(w.Unsafe().Get(e, ids.Get(i))).V,
			)
		}
		text = append(text, '\n')
	}
	return string(text)
}

func planOf(rt *rapid.T) plan {
	p := plan{
		flush:  rapid.IntRange(0, 7).Draw(rt, "flush") == 0,
		factor: rapid.Uint64().Draw(rt, "factor"),
		change: max(
			0,
			rapid.IntRange(-4, 4).Draw(rt, "change"),
		),
		kind: rapid.IntRange(0, kinds-1).Draw(rt, "kind"),
		rare: rapid.Uint64Range(1, 5).Draw(rt, "rare"),
	}
	p.without = rapid.IntRange(-1, kinds-1).Draw(rt, "without")
	used := 0
	for k := range kinds {
		switch rapid.SampledFrom([]string{"", "", "", "read", "write"}).Draw(rt, "access") {
		case "read":
			p.reads = append(p.reads, k)
		case "write":
			p.writes = append(p.writes, k)
		default:
			continue
		}
		used |= 1 << k
	}
	if p.without >= 0 && used>>p.without&1 == 1 {
		p.without = -1
	}
	return p
}

// TestEqualToSerial: random systems over random worlds, some of them switched off and on, added and
// removed between frames, leave the same with any number of workers as one after the other, and as
// Ark alone does.
func TestEqualToSerial(t *testing.T) {
	type runner struct {
		sys     *taskgraph.System
		o       ark.Options
		inPlace func(frame int) bool
	}
	never := func(int) bool { return false }
	runners := []runner{
		{nil, ark.Options{Serial: true}, never},
		{nil, ark.Options{Serial: true, Verify: ark.VerifyReads}, never},
	}
	for _, workers := range []int{1, 2, 4} {
		sys := taskgraph.Start(taskgraph.Options{Workers: workers})
		t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
		runners = append(runners, runner{sys, ark.Options{}, never})
		if workers == 4 {
			runners = append(runners,
				runner{sys, ark.Options{Verify: ark.VerifyWrites}, never},
				runner{sys, ark.Options{}, func(int) bool { return true }},
				runner{sys, ark.Options{}, func(frame int) bool { return frame%2 == 1 }},
			)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SampledFrom([]int{1, 3, 64}).Draw(rt, "rows")
		born := rapid.SliceOfN(rapid.Uint64(), 0, 60).Draw(rt, "born")
		var plans []plan
		var frames [][]bool // for each frame, which systems are enabled
		var added []int     // and how many have been added by then
		for range rapid.IntRange(1, 5).Draw(rt, "frames") {
			for range rapid.IntRange(0, 4).Draw(rt, "new systems") {
				plans = append(plans, planOf(rt))
			}
			added = append(added, len(plans))
			on := make([]bool, len(plans))
			for i := range on {
				on[i] = rapid.IntRange(0, 3).Draw(rt, "on") > 0
			}
			frames = append(frames, on)
		}
		removed := rapid.IntRange(-1, len(plans)-1).Draw(rt, "removed") // before the last frame

		start := func() *ecs.World {
			w := ecs.NewWorld(4)
			for _, c := range comps {
				ecs.TypeID(&w, c.Type())
			}
			for _, n := range born {
				makeEntity(&w, n)
			}
			return &w
		}
		expected := start()
		for f, on := range frames {
			if f == len(frames)-1 && removed >= 0 {
				on[removed] = false
			}
			reference(expected, plans[:added[f]], on)
		}
		// One whose order is drawn, and which goes wrong again in the same way.
		seed := rapid.Uint64().Draw(rt, "seed")
		drawn := taskgraph.Start(
			taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed}},
		)
		defer func() { require.NoError(rt, drawn.Shutdown(context.Background())) }()
		all := append(slices.Clip(runners), runner{drawn, ark.Options{InPlace: -1}, never})
		for i, r := range all {
			w := start()
			r.o.Chunk = rows
			s := ark.New(r.sys, w, r.o)
			var steps []*ark.System
			for f, on := range frames {
				for n := len(steps); n < added[f]; n++ {
					if plans[n].flush {
						steps = append(steps, s.AddFlush("flush"))
						continue
					}
					steps = append(steps, s.Add(fmt.Sprint("system ", n), plans[n].system))
				}
				for n, y := range steps {
					y.SetEnabled(on[n])
				}
				if f == len(frames)-1 && removed >= 0 {
					steps[removed].Remove()
				}
				if r.inPlace(f) {
					ark.RunInPlace(s)
				} else {
					ark.RunAsGraph(s)
				}
				require.NoError(rt, s.RunFrame(context.Background()))
			}
			require.Equal(rt, contents(expected), contents(w), "runner %d", i)
		}
	})
}
