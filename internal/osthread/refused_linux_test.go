package osthread_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/heddle-go/heddle/internal/dev/refuse"
	"github.com/heddle-go/heddle/internal/osthread"
)

// onPoorThread is onThread on a thread for which these calls fail.
func onPoorThread(t *testing.T, f func(t *testing.T), errno unix.Errno, calls ...uintptr) {
	t.Helper()
	var all []refuse.Call
	for _, n := range calls {
		all = append(all, refuse.Call{Number: n, Errno: errno})
	}
	onThread(t, func(t *testing.T) {
		if err := refuse.Thread(all...); err != nil {
			t.Logf("this kernel cannot refuse: %v", err)
			return
		}
		f(t)
	})
}

// What the system refuses is an error that names the call, and why.
func TestRefused(t *testing.T) {
	onPoorThread(t, func(t *testing.T) {
		_, nameErr := osthread.Name()
		_, affinityErr := osthread.Affinity()
		for call, err := range map[string]error{
			"SetName": osthread.SetName("x"), "Name": nameErr, "Affinity": affinityErr,
			"SetAffinity": osthread.SetAffinity([]int{0}),
			"SetPriority": osthread.SetPriority(osthread.PriorityHigh),
		} {
			require.ErrorIs(t, err, unix.EPERM, call)
			require.ErrorContains(t, err, "osthread: "+call+": ")
		}
	}, unix.EPERM, unix.SYS_PRCTL, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_SETAFFINITY,
		unix.SYS_SETPRIORITY)
}

// A mark that the system refuses, at either of two steps, always answers that its thread lives.
func TestRefusedMark(t *testing.T) {
	for _, call := range []uintptr{unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME} {
		var m osthread.Mark
		onPoorThread(t, func(t *testing.T) {
			m = osthread.NewMark()
			require.Equal(t, osthread.Mark{}, m)
		}, unix.EAGAIN, call)
		require.True(t, m.Alive(), "nobody knows that the thread is over")
		m.Drop()
	}
}

// What the kernel says of switches is read, wherever it stands, and what is damaged is an error.
func TestSwitchesIn(t *testing.T) {
	const both = "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\nSeccomp:\t0\n"
	voluntary, involuntary, err := osthread.SwitchesIn(strings.NewReader(both))
	require.NoError(t, err)
	require.Equal(t, [2]uint64{12, 3}, [2]uint64{voluntary, involuntary})
	for name, status := range map[string]io.Reader{
		"number":  strings.NewReader(strings.Replace(both, "12", "-12", 1)),
		"neither": strings.NewReader("Name:\tx\n"),
		"one":     strings.NewReader("voluntary_ctxt_switches:\t12\n"),
		"cut off": io.MultiReader(strings.NewReader(both), iotest.ErrReader(io.ErrUnexpectedEOF)),
	} {
		_, _, err := osthread.SwitchesIn(status)
		require.ErrorContains(t, err, "osthread: Switches: ", name)
		require.Equal(t, name == "neither" || name == "one",
			errors.Is(err, errors.ErrUnsupported), name)
	}
}
