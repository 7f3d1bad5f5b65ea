package lockfree_test

import (
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/lockfree"
)

func TestMailbox(t *testing.T) {
	var m lockfree.Mailbox[int]
	require.True(t, m.Empty())
	require.Equal(t, []int{-1}, m.PopAll([]int{-1}))
	want := []int{-1}
	for i := range 100 {
		wake, ok := m.Push(i)
		require.True(t, ok)
		require.False(t, wake, "nobody has stalled")
		want = append(want, i)
	}
	require.False(t, m.Empty())
	require.False(t, m.Stall(lockfree.Mark{}), "not empty")
	require.Equal(t, want, m.PopAll([]int{-1}), "the oldest first, behind what buf held")
	require.True(t, m.Empty())
}

func TestMailboxStall(t *testing.T) {
	var m lockfree.Mailbox[int]
	push := func() bool {
		wake, ok := m.Push(0)
		require.True(t, ok)
		return wake
	}
	require.True(t, m.Unstall(), "it was not registered")
	require.True(t, m.Stall(m.Mark()), "the mark of an empty box is the zero Mark")
	require.True(t, push())
	require.False(t, push(), "it was woken once")
	require.True(t, m.Unstall())

	mark := m.Mark()
	require.False(t, m.Stall(lockfree.Mark{}), "not empty")
	require.True(t, m.Stall(mark), "nothing new")
	require.True(t, push())
	require.True(t, m.Unstall())
	require.False(t, m.Stall(mark), "something new")
	require.Len(t, m.PopAll(nil), 3)
	require.False(t, m.Stall(mark), "it was popped")
	require.True(t, m.Stall(lockfree.Mark{}))
	require.True(t, m.Stall(lockfree.Mark{}), "again")
	require.False(t, m.Unstall(), "nobody has woken it")
	require.False(t, push(), "it has not stalled any more")
}

func TestMailboxClose(t *testing.T) {
	var m lockfree.Mailbox[int]
	m.Push(1)
	require.False(t, m.Closed())
	wake, ok := m.Close()
	require.True(t, ok)
	require.False(t, wake)
	require.True(t, m.Closed())
	_, ok = m.Push(2)
	require.False(t, ok)
	_, ok = m.Close()
	require.False(t, ok, "once")
	require.Equal(t, []int{1}, m.PopAll(nil), "what was accepted is there")
	require.True(t, m.Stall(lockfree.Mark{}))
	_, ok = m.Push(3)
	require.False(t, ok)
	require.False(t, m.Unstall())

	var stalled lockfree.Mailbox[int]
	require.True(t, stalled.Stall(lockfree.Mark{}))
	wake, ok = stalled.Close()
	require.True(t, wake && ok)
	require.True(t, stalled.Unstall())
}

func TestMailboxLetsGo(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	var m lockfree.Mailbox[*big]
	var refs []weak.Pointer[big]
	push := func() {
		p := new(big)
		refs = append(refs, weak.Make(p))
		m.Push(p)
	}
	for range 20 {
		push()
	}
	require.Len(t, m.PopAll(nil), 20)
	m.Close()
	push() // refused
	runtime.GC()
	for _, ref := range refs {
		require.Nil(t, ref.Value())
	}
	runtime.KeepAlive(&m)
}

// Whatever its size was once is enough for ever.
func TestMailboxAllocatesNothing(t *testing.T) {
	var m lockfree.Mailbox[[5]uint64]
	buf := make([][5]uint64, 0, 100)
	use := func() {
		for i := range 100 {
			m.Push([5]uint64{uint64(i)})
			if i%7 == 0 {
				buf = m.PopAll(buf[:0])
			}
		}
		buf = m.PopAll(buf[:0])
	}
	require.Zero(t, testing.AllocsPerRun(100, use))
}

// Producers and an owner who sleeps whenever there is nothing: each accepted value comes once, in the
// order of its producer, and of the producers that go on after the close none is accepted.
func TestTrap01_MailboxOwnerSleeps(t *testing.T) {
	for round := range scaled(300) {
		m := lockfree.NewMailboxAt[int](lockfree.TakingsLimit - uint64(round%50))
		const producers, each = 3, 300
		event := make(chan struct{}, 1)
		wakeUp := func(wake bool) {
			if wake {
				select {
				case event <- struct{}{}:
				default:
				}
			}
		}
		var accepted, got [producers]int
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for i := range each {
					wake, ok := m.Push(i*producers + p)
					wakeUp(wake)
					if !ok {
						return
					}
					accepted[p]++
					if p == 0 && i == each/2 {
						wake, _ := m.Close()
						wakeUp(wake)
					}
				}
			})
		}
		var buf []int
		for last := false; ; {
			buf = m.PopAll(buf[:0])
			for _, v := range buf {
				p := v % producers
				require.Equal(t, got[p], v/producers, "of producer %d", p)
				got[p]++
			}
			if last {
				break
			}
			if len(buf) > 0 {
				continue
			}
			if last = m.Closed(); !last && m.Stall(lockfree.Mark{}) {
				if !m.Closed() {
					<-event
				}
				m.Unstall()
			}
		}
		wg.Wait()
		require.Empty(t, m.PopAll(nil))
		require.Equal(t, accepted, got)
	}
}
