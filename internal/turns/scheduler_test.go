package turns_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) {
	// On js the runtime keeps a goroutine of its own for events.
	watch.Main(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

var errStuck = errors.New("stuck")

func scheduler(seed uint64) (*turns.Scheduler, *strings.Builder) {
	var b strings.Builder
	return turns.New(turns.Options{
		Seed:    seed,
		Trace:   func(line string) { fmt.Fprintln(&b, line) },
		OnStuck: func() error { return errStuck },
	}), &b
}

func named(s string) func() string { return func() string { return s } }

// Three actors that yield between their steps: every order of the first steps comes, each the
// same again with the same seed.
func TestYieldsAreChoices(t *testing.T) {
	program := func(seed uint64) (order, trace string) {
		s, b := scheduler(seed)
		for _, name := range []string{"a", "b", "c"} {
			s.Go(false, named(name), func() {
				order += name
				s.Yield()
				order += strings.ToUpper(name)
			})
		}
		s.Quiesce()
		return order, b.String()
	}
	firsts := map[string]bool{}
	for seed := range uint64(200) {
		one, trace := program(seed)
		two, again := program(seed)
		require.Equal(t, one, two)
		require.Equal(t, trace, again)
		require.Len(t, one, 6)
		lower := strings.Map(func(r rune) rune {
			if r >= 'a' {
				return r
			}
			return -1
		}, one)
		firsts[lower] = true
	}
	require.Len(t, firsts, 6)
}

func TestReadyEndsABlock(t *testing.T) {
	for seed := range uint64(20) {
		s, _ := scheduler(seed)
		order := ""
		waits := s.Go(false, named("waits"), func() {
			s.Block(-1)
			order += "w"
		})
		s.Go(false, named("wakes"), func() {
			s.Block(10) // by then the other one waits
			order += "r"
			s.Ready(waits)
			s.Ready(waits) // changes nothing
		})
		s.Block(20)
		s.Quiesce()
		require.Equal(t, "rw", order)
	}
}

func TestTimePassesWhenNothingElseIsLeft(t *testing.T) {
	s, _ := scheduler(3)
	order := ""
	s.AfterFunc(30, func() { order += "c" })
	s.AfterFunc(10, func() { order += "a" })
	gone := s.AfterFunc(20, func() { order += "b" })
	require.True(t, gone.Stop())
	require.False(t, gone.Stop())
	require.Zero(t, s.Now())
	require.True(t, s.Block(1000))
	require.Equal(t, int64(1000), s.Now())
	require.Equal(t, "ac", order)
	s.Quiesce()
}

func TestConditionsAndContexts(t *testing.T) {
	s, _ := scheduler(4)
	n := 0
	s.Go(false, named("counts"), func() {
		for range 3 {
			n++
			s.Yield()
		}
	})
	s.BlockUntil(func() bool { return n == 3 })

	ctx, cancel := context.WithCancel(context.Background())
	called := 0
	s.OnEnd(ctx, func() { called++ })
	stop := s.OnEnd(ctx, func() { called += 10 })
	require.True(t, stop())
	require.False(t, stop())
	require.True(t, s.OnEnd(context.Background(), func() {})())
	cancel()
	s.BlockUntil(func() bool { return called > 0 })
	require.Equal(t, 1, called)
	s.Quiesce()
}

// A context ends by virtual time, tells the earlier of two deadlines, and ends early when it is
// cancelled.
func TestWithTimeout(t *testing.T) {
	s, _ := scheduler(5)
	at := time.Unix(100, 0)
	outer, cancelOuter := context.WithDeadline(context.Background(), at)
	defer cancelOuter()
	deadline := func(ctx context.Context) time.Time {
		d, ok := ctx.Deadline()
		require.True(t, ok)
		return d
	}
	ctx, cancel := s.WithTimeout(context.Background(), 1000, at)
	require.Equal(t, at, deadline(ctx))
	require.NoError(t, ctx.Err())
	require.True(t, s.Block(2000))
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	cancel()
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)

	later, cancel := s.WithTimeout(outer, 1000, at.Add(1))
	require.Equal(t, at, deadline(later))
	cancel()
	earlier, cancel := s.WithTimeout(context.WithoutCancel(outer), 1000, at)
	cancel()
	require.Equal(t, at, deadline(earlier))
	require.ErrorIs(t, earlier.Err(), context.Canceled)
	require.True(t, s.Block(2000))
	require.ErrorIs(t, earlier.Err(), context.Canceled, "the timer has been stopped")
	s.Quiesce()
}

// Whoever may run with or without a Scheduler calls these in both cases.
func TestNoScheduler(t *testing.T) {
	var s *turns.Scheduler
	s.Yield()
	s.Check()
	s.CheckSometimes()
	require.False(t, s.Traced())
	require.NoError(t, s.TakeStuck())

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	require.True(t, s.OnEnd(ctx, func() { t.Error("it was told of the end after a stop") })())
	s.OnEnd(ctx, func() { done <- struct{}{} })
	require.Nil(t, s.Go(false, named("nobody"), func() { done <- struct{}{} }))
	cancel()
	<-done
	<-done
	before := s.Now()
	require.Positive(t, before)
	require.GreaterOrEqual(t, s.Now(), before)
}

func TestStuckIsToldOnceAndThenPanics(t *testing.T) {
	s, b := scheduler(5)
	s.Go(false, named("waits"), func() {
		defer func() {
			if recover() != nil {
				t.Error("only the first actor is told")
			}
		}()
	})
	s.Block(-1)
	require.Equal(t, errStuck, s.TakeStuck())
	require.NoError(t, s.TakeStuck())
	s.Block(-1) // once more for the first time
	require.PanicsWithValue(t, errStuck, func() { s.Block(-1) })
	require.Contains(t, b.String(), "nothing can go on")
	s.Quiesce()
}

func TestScheduleIsFollowed(t *testing.T) {
	program := func(schedule ...byte) (order string) {
		s := turns.New(turns.Options{Schedule: append([]byte{}, schedule...)})
		for _, name := range []string{"a", "b", "c"} {
			s.Go(false, named(name), func() { order += name })
		}
		s.Quiesce()
		return order
	}
	require.Equal(t, "abc", program())
	require.Equal(t, "bac", program(1))
	require.Equal(t, "cba", program(2, 1))
	require.Equal(t, "cba", program(254, 1), "modulo")
}

// What is prompt runs before any choice, and makes none.
func TestPromptActors(t *testing.T) {
	s, b := scheduler(6)
	ran := false
	s.Go(true, named("prompt"), func() { ran = true })
	s.Go(false, named("other"), func() { require.True(t, ran) })
	s.Quiesce()
	require.NotContains(t, b.String(), "prompt")
}

func TestStrangersAreFound(t *testing.T) {
	s, _ := scheduler(7)
	said := make(chan any)
	go func() {
		defer func() { said <- recover() }()
		s.Check()
	}()
	require.Contains(t, (<-said).(string),
		"taskgraph: a goroutine that the simulation does not know")
	s.Check()
	s.Quiesce()
	s.Yield() // does nothing any more
}

// A shelf is a Work whose pieces nobody does.
type shelf struct{ turns.Work }

// Pieces are taken out of the list by what they are, the newest or the oldest first, and only those
// of one source.
func TestPieces(t *testing.T) {
	s := turns.New(turns.Options{Seed: 1})
	one, other := &shelf{}, &shelf{}
	piece := func(class uint8, entry uint64, ref int) turns.Piece {
		return turns.Piece{Class: class, Entry: entry, Ref: ref}
	}
	add := func() {
		for i, entry := range []uint64{7, 8, 7, 9} {
			s.Add(one, piece(uint8(i%2), entry, i))
		}
		s.Add(other, piece(0, 7, 4))
	}
	get := func(p turns.Piece, ok bool) any {
		if !ok {
			return nil
		}
		return p.Ref
	}
	add()
	require.Nil(t, get(s.Remove(one, 2, 7)), "it is of another class")
	require.Nil(t, get(s.Remove(other, 3, 8)), "it is of another source")
	require.Equal(t, 4, get(s.Remove(other, 1, 7)))
	require.Equal(t, 3, get(s.Remove(one, 3, 9)), "the last in the list")
	require.Equal(t, 2, get(s.Remove(one, 3, 7)), "the newest")
	require.Equal(t, 0, get(s.Remove(one, 3, 7)), "the first in the list")
	require.Nil(t, get(s.Remove(one, 3, 7)))
	require.Equal(t, 1, get(s.RemoveFirst(one, 3)))
	require.Nil(t, get(s.RemoveFirst(one, 3)))

	add()
	require.Equal(t, 1, get(s.RemoveFirst(one, 2)))
	require.Equal(t, []turns.Piece{piece(0, 7, 0), piece(0, 7, 2)}, s.RemoveAll(one, 1))
	require.Equal(t, []turns.Piece{piece(1, 9, 3)}, s.RemoveAll(one, 3))
	require.Equal(t, []turns.Piece{piece(0, 7, 4)}, s.RemoveAll(other, 3))
}
