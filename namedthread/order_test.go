package namedthread_test

import (
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

// TestOrder compares random work, some of which posts and waits, with lists. A Wait sets work
// aside, which must not show in the order.
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
						th.Wait(namedthread.QueueMain, func() bool { looks++; th.Wake(); return looks > i+1 })
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
				if err := th.Post(namedthread.Queue(who&1), namedthread.PriorityNormal, run, who<<32|(i+1)); err != nil {
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
	require.NoError(t, th.Post(namedthread.QueueLocal, namedthread.PriorityNormal, namedthread.Func(func() { close(idle) }), 0))
	<-idle
	ask(t, th, func() { require.Equal(t, [posters]uint64{each, each, each, each}, last) })
}
