package namedthread_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/namedthread"
)

// A piece is scripted work: what it does when it runs.
type piece struct {
	q     namedthread.Queue
	p     namedthread.Priority
	waits bool     // calls Wait between its posts
	posts []*piece // posted when it runs
	id    uint64
}

func drawPiece(t *rapid.T, depth int, next *uint64) *piece {
	x := &piece{
		q:     namedthread.Queue(rapid.IntRange(0, 1).Draw(t, "queue")),
		p:     namedthread.Priority(rapid.IntRange(0, 1).Draw(t, "priority")),
		waits: rapid.Bool().Draw(t, "waits"),
		id:    *next,
	}
	*next++
	if depth > 0 {
		for range rapid.IntRange(0, 3).Draw(t, "posts") {
			x.posts = append(x.posts, drawPiece(t, depth-1, next))
		}
	}
	return x
}

// predict gives the order in which a pump of the main queue runs pieces.
func predict(first []*piece) (order []uint64) {
	var lists [2][2][]*piece
	post := func(all []*piece) {
		for _, x := range all {
			lists[x.q][x.p] = append(lists[x.q][x.p], x)
		}
	}
	post(first)
next:
	for {
		for q := range lists {
			for p := range lists[q] {
				if l := lists[q][p]; len(l) > 0 {
					lists[q][p] = l[1:]
					order = append(order, l[0].id)
					post(l[0].posts)
					continue next
				}
			}
		}
		return order
	}
}

// TestOrder compares random work, some of which posts and waits, with lists. A Wait must not
// show in the order.
func TestOrder(t *testing.T) {
	th := attach(t)
	rapid.Check(t, func(t *rapid.T) {
		var got []uint64
		var next uint64
		var first []*piece
		for range rapid.IntRange(1, 6).Draw(t, "first") {
			first = append(first, drawPiece(t, 3, &next))
		}
		var post func(*piece)
		post = func(x *piece) {
			require.NoError(t, th.Post(x.q, x.p, job(func(th *namedthread.Thread, token uint64) {
				require.Equal(t, x.id, token)
				got = append(got, token)
				for i, y := range x.posts {
					post(y)
					if x.waits {
						looks := 0
						th.Wait(namedthread.QueueMain, func() bool {
							looks++
							th.Wake()
							return looks > i+1
						})
					}
				}
			}), x.id))
		}
		for _, x := range first {
			post(x)
		}
		n, err := th.PumpUntilIdle(namedthread.QueueMain)
		require.NoError(t, err)
		require.Equal(t, len(got), n)
		require.Equal(t, predict(first), got)
	})
}

// TestOrderManyPosters checks that what one goroutine posts is run in its order, whoever else
// posts.
func TestOrderManyPosters(t *testing.T) {
	const posters, each = 4, 2000
	th := start(t, namedthread.Options{})
	var last [posters]uint64
	run := job(func(_ *namedthread.Thread, token uint64) {
		who, i := token>>32, token&(1<<32-1)
		if i != last[who]+1 {
			t.Errorf("poster %d: %d after %d", who, i, last[who])
		}
		last[who] = i
	})
	done := make(chan struct{})
	for who := range uint64(posters) {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range uint64(each) {
				if err := th.Post(namedthread.Queue(who&1), namedthread.PriorityNormal, run,
					who<<32|(i+1)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for range posters {
		<-done
	}
	// Two rounds: a pump of the main queue looks at the local one when it is idle.
	idle := make(chan struct{})
	require.NoError(t, th.Post(namedthread.QueueLocal, namedthread.PriorityNormal,
		namedthread.Func(func() { close(idle) }), 0))
	<-idle
	ask(t, th, func() { require.Equal(t, [posters]uint64{each, each, each, each}, last) })
}

// TestOrderConcurrently draws what several goroutines post at the same time, to both queues with
// both priorities: each piece is run once, and what one of them posted to one queue with one
// priority is run in its order. If all of it is there before the first is run, high work
// of a queue goes before normal, and the main queue before the local one.
func TestOrderConcurrently(t *testing.T) {
	type letter struct {
		q namedthread.Queue
		p namedthread.Priority
	}
	rapid.Check(t, func(rt *rapid.T) {
		th, err := namedthread.NewRegistry().Start("Order", namedthread.Options{})
		require.NoError(rt, err)
		defer func() { th.Quit(); <-th.Done() }()
		draw := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) letter {
			return letter{namedthread.Queue(rapid.IntRange(0, 1).Draw(rt, "queue")),
				namedthread.Priority(rapid.IntRange(0, 1).Draw(rt, "priority"))}
		}), 0, 30)
		scripts := rapid.SliceOfN(draw, 1, 4).Draw(rt, "scripts")
		hold := rapid.Bool().Draw(rt, "all is posted before any is run")

		type ran struct {
			who, i uint64
			letter
		}
		var got []ran
		held, free := make(chan struct{}), make(chan struct{})
		post(rt, th, namedthread.Func(func() { close(held); <-free }))
		<-held
		if !hold {
			close(free)
		}
		var all sync.WaitGroup
		total := 0
		for who, script := range scripts {
			total += len(script)
			all.Go(func() {
				for i, l := range script {
					run := job(func(_ *namedthread.Thread, token uint64) {
						got = append(got, ran{token >> 32, token & (1<<32 - 1), l})
					})
					if err := th.Post(l.q, l.p, run, uint64(who)<<32|uint64(i)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if hold {
			close(free)
		}
		idle := make(chan struct{}) // the last piece of the local queue, which comes last
		require.NoError(rt, th.Post(localQ, normal, namedthread.Func(func() { close(idle) }), 0))
		<-idle
		ask(rt, th, func() {})

		require.Len(rt, got, total)
		last := map[[3]uint64]uint64{}
		for n, x := range got {
			key := [3]uint64{x.who, uint64(x.q), uint64(x.p)}
			before, seen := last[key]
			require.False(rt, seen && before >= x.i, "%+v is run after piece %d", x, before)
			last[key] = x.i
			if hold && n > 0 {
				y := got[n-1]
				require.False(rt, x.q < y.q || x.q == y.q && x.p < y.p, "%+v is run after %+v", x,
					y)
			}
		}
	})
}
