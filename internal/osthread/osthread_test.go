package osthread_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/osthread"
)

// onThread runs f on an OS thread of its own, which ends with it: no change outlives the
// test.
func onThread(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread is not used again
		f(t)
	}()
	<-done
}

// agree checks that a call is unsupported exactly where its constant says so.
func agree(t *testing.T, has bool, err error) bool {
	t.Helper()
	if !has {
		require.ErrorIs(t, err, errors.ErrUnsupported)
		return false
	}
	require.NoError(t, err)
	return true
}

func TestID(t *testing.T) {
	onThread(t, func(t *testing.T) {
		a, err := osthread.ID()
		if !agree(t, osthread.HasID, err) {
			return
		}
		again, err := osthread.ID()
		require.NoError(t, err)
		require.Equal(t, a, again)
		require.NotZero(t, a)
		onThread(t, func(t *testing.T) {
			b, err := osthread.ID()
			require.NoError(t, err)
			require.NotEqual(t, a, b, "two threads, both alive")
		})
	})
}

// Nobody pays for being told that there is no id.
func TestIDDoesNotAllocate(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = osthread.ID() }))
}

func TestName(t *testing.T) {
	long := "a name that is far too long for some"
	tests := []struct{ name, set, want string }{
		{"plain", "render", "render"},
		{"empty", "", ""},
		{"fifteen", "123456789012345", "123456789012345"},
		{"long", long, long},
		{"cut inside a character", "12345678901234ü", "12345678901234ü"},
		{"zero byte", "ab\x00cd", "ab"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			onThread(t, func(t *testing.T) {
				if !agree(t, osthread.HasName, osthread.SetName(test.set)) {
					return
				}
				got, err := osthread.Name()
				if errors.Is(err, errors.ErrUnsupported) {
					return // the name can be set and not read
				}
				require.NoError(t, err)
				want := test.want
				if osthread.MaxName > 0 && len(want) > osthread.MaxName {
					want = strings.ToValidUTF8(want[:osthread.MaxName], "")
				}
				require.Equal(t, want, got)
			})
		})
	}
}

func TestPriority(t *testing.T) {
	for p := osthread.PriorityLow; p <= osthread.PriorityHighest; p++ {
		t.Run(p.String(), func(t *testing.T) {
			onThread(t, func(t *testing.T) {
				err := osthread.SetPriority(p)
				if osthread.HasPriority && errors.Is(err, os.ErrPermission) {
					require.Greater(t, p, osthread.PriorityNormal)
					return
				}
				agree(t, osthread.HasPriority, err)
			})
		})
	}
	require.Panics(t, func() { _ = osthread.SetPriority(osthread.PriorityHighest + 1) })
	require.Panics(t, func() { _ = osthread.SetPriority(osthread.PriorityLow - 1) })
	require.Equal(t, "Priority(?)", osthread.Priority(9).String())
}

func TestAffinity(t *testing.T) {
	onThread(t, func(t *testing.T) {
		cpus, err := osthread.Affinity()
		if errors.Is(err, errors.ErrUnsupported) {
			agree(t, osthread.HasAffinity, osthread.SetAffinity([]int{0}))
			return
		}
		require.NoError(t, err)
		require.NotEmpty(t, cpus)
		for _, c := range cpus {
			require.NoError(t, osthread.SetAffinity([]int{c}))
			got, err := osthread.Affinity()
			require.NoError(t, err)
			require.Equal(t, []int{c}, got)
		}
	})
	if osthread.HasAffinity {
		require.Error(t, osthread.SetAffinity(nil))
		require.Error(t, osthread.SetAffinity([]int{-1}))
		require.Error(t, osthread.SetAffinity([]int{1 << 20}))
	}
}

func TestSwitches(t *testing.T) {
	onThread(t, func(t *testing.T) {
		before, _, err := osthread.Switches()
		if !agree(t, osthread.HasSwitches, err) {
			_, _, err = osthread.SwitchesOf(1)
			require.ErrorIs(t, err, errors.ErrUnsupported)
			return
		}
		id, err := osthread.ID()
		require.NoError(t, err)
		// A locked goroutine's thread waits in the kernel, until another goroutine has seen that it
		// does.
		slept := make(chan error)
		go func() {
			for {
				if now, _, err := osthread.SwitchesOf(id); err != nil || now > before {
					slept <- err
					return
				}
				runtime.Gosched()
			}
		}()
		require.NoError(t, <-slept)
		after, _, err := osthread.Switches()
		require.NoError(t, err)
		require.Greater(t, after, before)

		_, _, err = osthread.SwitchesOf(1 << 40)
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}

// TestMark: the mark of a thread says that it lives while it does, and on Linux no longer.
func TestMark(t *testing.T) {
	marks := make(chan osthread.Mark)
	end := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		moved := make(chan struct{})
		go func() { // not on the first thread of the program, which never ends
			runtime.LockOSThread()
			close(moved)
			m := osthread.NewMark()
			if !m.Alive() {
				t.Error("does not live by its own mark")
			}
			marks <- m
			<-end
		}()
		<-moved
		runtime.UnlockOSThread()
	}()
	m := <-marks
	for range 100 {
		require.True(t, m.Alive())
	}
	close(end)
	if runtime.GOOS == "linux" {
		require.Eventually(t, func() bool { return !m.Alive() }, time.Minute, time.Millisecond)
	}
	m.Drop()
	require.True(t, osthread.Mark{}.Alive())
	osthread.Mark{}.Drop()
	for range 100_000 { // more than the system would give
		osthread.NewMark().Drop()
	}
	last := osthread.NewMark()
	require.True(t, last.Alive())
	last.Drop()
}
