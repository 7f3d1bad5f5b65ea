package spread_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/spread"
)

// A landscape is two processors with threads, as a test wants them. Thread i+1 is that of the
// holder of slot i, until a test says otherwise. It belongs to one goroutine, which acts for all of
// them.
type landscape struct {
	places []*spread.Place // of the slots
	idle   map[int]bool
	system *spread.Threads
	thread []uint32
	on     map[uint32]uint32 // thread to processor
	sleeps map[uint32]bool
	now    time.Duration
	acts   uint32 // the thread that runs at the moment

	looks, questions, moves int
}

func newLandscape(t require.TestingT, slots int) *landscape {
	l := &landscape{on: map[uint32]uint32{}, idle: map[int]bool{}, sleeps: map[uint32]bool{},
		now: time.Second}
	for i := range slots {
		l.places = append(l.places, new(spread.Place))
		l.thread = append(l.thread, uint32(i)+1)
	}
	l.system = &spread.Threads{
		Now:  func() int64 { return int64(l.now) },
		Here: func() (uint32, uint32) { l.looks++; return l.on[l.acts], l.acts },
		Waits: func(thread, processor uint32) bool {
			require.NotEqual(t, l.acts, thread, "asked about itself")
			l.questions++
			return !l.sleeps[thread] && l.on[thread] == processor
		},
		Move: func() { l.moves++; l.on[l.acts] ^= 1 },
	}
	return l
}

// event lets the holder of a slot reach so many events, each so long after the one before.
func (l *landscape) event(slot, times int, apart time.Duration) {
	l.acts = l.thread[slot]
	for range times {
		l.now += apart
		if !l.places[slot].IsDue() {
			continue
		}
		look := l.places[slot].Begin(l.system)
		for i, p := range l.places {
			if i != slot && !l.idle[i] {
				look.See(p)
			}
		}
		look.End()
	}
}

// many events are more than there are ever between two looks, and reach beyond any wait.
func (l *landscape) many(slot int) { l.event(slot, 200, 20*time.Microsecond) }

func TestSpreadMovesApart(t *testing.T) {
	l := newLandscape(t, 2)
	l.many(0)
	require.Zero(t, l.moves, "the other one has not said where it is")
	for l.moves == 0 {
		l.event(1, 1, 20*time.Microsecond)
	}
	questions := l.questions
	l.many(0)
	require.Equal(t, questions, l.questions, "who has moved has said so")
	l.many(1)
	require.Equal(t, 1, l.moves)
	require.EqualValues(t, 1, l.on[2])
	require.Zero(t, l.on[1])
	l.many(0)
	l.many(1)
	require.Equal(t, 1, l.moves, "they are apart")

	l.on[1] = 1 // the operating system has moved it there
	l.many(0)
	require.Equal(t, 2, l.moves)
	require.Zero(t, l.on[1])
}

// TestSpreadKeepsItsPace: the next look comes after as many events if the last two looks were half
// of the time that is meant apart, or twice that; after more if they were nearer, and after fewer
// if they were farther.
func TestSpreadKeepsItsPace(t *testing.T) {
	const meant = spread.LookEvery * time.Nanosecond
	l := newLandscape(t, 1)
	passed := func(apart time.Duration) (events int) {
		for looks := l.looks; l.looks == looks; events++ {
			l.event(0, 1, 0)
		}
		l.now += apart
		return events
	}
	passed(meant / 2)
	require.Equal(t, 1, passed(meant/2))
	require.Equal(t, 1, passed(meant/2-1), "half of the time is no reason to look less often")
	require.Equal(t, 1, passed(meant/2-1))
	require.Equal(t, 2, passed(meant/2-1))
	require.Equal(t, 4, passed(2*meant))
	require.Equal(t, 8, passed(2*meant))
	require.Equal(t, 8, passed(2*meant+1), "twice the time is no reason to look more often")
	require.Equal(t, 8, passed(meant))
	require.Equal(t, 4, passed(meant))
}

// TestSpreadWithoutWordOfOne: of the third nobody knows where it is.
func TestSpreadWithoutWordOfOne(t *testing.T) {
	l := newLandscape(t, 3)
	l.many(0)
	l.many(1)
	require.Equal(t, 1, l.moves)
}

func TestSpreadStays(t *testing.T) {
	t.Run("the other one sleeps", func(t *testing.T) {
		l := newLandscape(t, 2)
		l.many(0)
		l.sleeps[1] = true
		l.many(1)
		require.Positive(t, l.questions)
		require.Zero(t, l.moves)
	})
	t.Run("the other one is elsewhere by now", func(t *testing.T) {
		l := newLandscape(t, 2)
		l.many(0)
		l.on[1] = 1
		l.many(1)
		require.Positive(t, l.questions)
		require.Zero(t, l.moves)
	})
	t.Run("the other one is idle", func(t *testing.T) {
		l := newLandscape(t, 2)
		l.many(0)
		l.idle[0] = true
		l.many(1)
		require.Zero(t, l.questions)
		require.Zero(t, l.moves)
	})
	t.Run("its thread is that of the other one before", func(t *testing.T) {
		l := newLandscape(t, 2)
		l.many(0)
		l.thread[1] = 1
		l.many(1)
		require.Zero(t, l.questions)
		require.Zero(t, l.moves)
	})
	t.Run("one is on the other processor already", func(t *testing.T) {
		l := newLandscape(t, 3)
		l.on[1] = 1
		l.many(0)
		l.many(1)
		l.many(2)
		require.Zero(t, l.questions, "two here and one there")
		l.on[1] = 0
		l.many(0)
		require.Equal(t, 1, l.moves, "three here and none there")
		l.many(1)
		l.many(2)
		require.Equal(t, 1, l.moves)
	})
}

// TestSpreadIsRare: a look takes a share of the time that does not grow with events, and a question
// that is answered by no a much smaller one.
func TestSpreadIsRare(t *testing.T) {
	l := newLandscape(t, 2)
	const long = time.Second
	for _, apart := range []time.Duration{100, time.Microsecond, 30 * time.Microsecond} {
		l.looks = 0
		l.event(0, int(long/apart), apart)
		require.LessOrEqual(t, l.looks, int(2*long/spread.LookEvery)+50, "%v apart", apart)
		require.GreaterOrEqual(t, l.looks, int(long/spread.LookEvery/4), "%v apart", apart)
	}
	l.event(0, 100, time.Millisecond)
	l.looks = 0
	l.event(0, 100, time.Millisecond)
	require.Equal(t, 100, l.looks, "rare events have a look each")

	l.sleeps[1] = true
	l.event(1, int(long/time.Microsecond), time.Microsecond)
	require.LessOrEqual(t, l.questions, int(long/spread.AskEvery)+1)
	require.GreaterOrEqual(t, l.questions, int(long/spread.AskEvery/2))
	require.Zero(t, l.moves)
	l.sleeps[1] = false
	before := l.now
	for l.moves == 0 {
		l.event(1, 1, time.Microsecond)
	}
	require.Less(t, l.now-before, time.Duration(2*spread.AskEvery))
}

// TestSpreadAsksAgain: the next question comes as soon as the time between two has passed.
func TestSpreadAsksAgain(t *testing.T) {
	l := newLandscape(t, 2)
	l.many(0)
	l.sleeps[1] = true
	for l.questions == 0 {
		l.event(1, 1, time.Millisecond)
	}
	l.event(1, 1, spread.AskEvery-1)
	require.Equal(t, 1, l.questions)
	l.event(1, 1, 1)
	require.Equal(t, 2, l.questions)
}

// TestSpreadOnTheFirstProcessor: where a goroutine is on thread 0 of processor 0, it has said so.
func TestSpreadOnTheFirstProcessor(t *testing.T) {
	l := newLandscape(t, 2)
	l.thread[0] = 0
	l.many(0)
	l.many(1)
	require.Equal(t, 1, l.moves)
}

// TestSpreadAmongMany has random holders and an operating system that moves them as it likes.
func TestSpreadAmongMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(2, 5).Draw(t, "slots")
		l := newLandscape(t, slots)
		there := func(processor uint32) (n int) {
			for _, at := range l.on {
				if at == processor {
					n++
				}
			}
			return n
		}
		for _, thread := range l.thread {
			l.on[thread] = rapid.Uint32Range(0, 1).Draw(t, "at")
		}
		t.Repeat(map[string]func(*rapid.T){
			"holder": func(t *rapid.T) {
				l.event(rapid.IntRange(0, slots-1).Draw(t, "slot"), 1,
					time.Duration(rapid.IntRange(1, 200_000).Draw(t, "apart")))
			},
			"system": func(t *rapid.T) {
				thread := rapid.SampledFrom(l.thread).Draw(t, "thread")
				l.on[thread] ^= 1
			},
			"everybody": func(t *rapid.T) { // twice: what is said first may be wrong
				for range 2 {
					for slot := range slots {
						l.many(slot)
					}
				}
				require.LessOrEqual(t, there(0)-there(1), 1)
				require.LessOrEqual(t, there(1)-there(0), 1)
				moves := l.moves
				for slot := range slots {
					l.many(slot)
				}
				require.Equal(t, moves, l.moves, "nobody has a reason to move")
			},
		})
	})
}

// TestSpreadAmongThreads has threads that it may move, if there are any.
func TestSpreadAmongThreads(t *testing.T) {
	system := spread.Own()
	require.Equal(t, park.CanMove(), system != nil)
	if system == nil {
		return
	}
	var places [2]spread.Place
	look := func(i int) {
		l := places[i].Begin(system)
		l.See(&places[1-i])
		l.End()
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { look(0) }))
	done := make(chan struct{})
	var over atomics.Bool
	go func() {
		defer close(done)
		for !over.Load() {
			look(0)
		}
	}()
	for range 10_000 {
		look(1)
	}
	over.Store(true)
	<-done
}
