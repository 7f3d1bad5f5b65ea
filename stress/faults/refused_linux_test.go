package faults_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/masks"
	"github.com/heddle-go/heddle/internal/dev/refuse"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// What the kernel refuses cannot be allowed again, so a process of its own loses it.

// childKind says in the environment of such a process which it is.
const childKind = "HEDDLE_FAULTS_CHILD"

// unable is the exit status of a process that could not be refused anything.
const unable = 3

// A child is a process that is refused something, and then does its work.
type child struct {
	refused []refuse.Call
	work    func() error
}

// futexWait is FUTEX_WAIT with FUTEX_PRIVATE_FLAG, and inKernel the value of a word of
// internal/park whose owner waits: what the runtime waits for has other values.
const (
	futexWait = 128
	inKernel  = 2
)

// refused makes a list of calls that fail whatever their arguments.
func refused(errno unix.Errno, numbers ...uintptr) (calls []refuse.Call) {
	for _, n := range numbers {
		calls = append(calls, refuse.Call{Number: n, Errno: errno})
	}
	return calls
}

var children = map[string]child{
	"futex": {[]refuse.Call{{Number: unix.SYS_FUTEX,
		Args: map[int]uint32{1: futexWait, 2: inKernel}, Errno: unix.EINTR}}, heavy},
	"affinity": {refused(unix.EPERM, unix.SYS_SCHED_SETAFFINITY), bound},
	"affinities": {refused(unix.EPERM, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_GETAFFINITY,
		unix.SYS_GETCPU), bound},
	"names": {append(refused(unix.EPERM, unix.SYS_PRCTL, unix.SYS_TIMER_CREATE),
		refused(unix.EACCES, unix.SYS_SETPRIORITY)...), named},
	"threads": {refused(unix.EAGAIN, unix.SYS_CLONE, unix.SYS_CLONE3), threads},
	"crowd":   {nil, crowd},
}

func init() {
	kind := os.Getenv(childKind)
	if kind == "" {
		return
	}
	// Before anything else of the tests begins, but when all of it is there.
	asChild = func() int {
		flag.Parse()
		c := children[kind]
		if err := refuse.Process(c.refused...); len(c.refused) > 0 && err != nil {
			fmt.Fprintln(os.Stderr, "nothing can be refused:", err)
			return unable
		}
		if err := c.work(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("done")
		return 0
	}
}

// alone runs a process of that kind, and returns what it wrote and how it ended. One that hangs
// ends with the stacks of its goroutines.
func alone(t *testing.T, kind string) (text string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(bg, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], fmt.Sprint("-test.short=", testing.Short()))
	cmd.Env = append(os.Environ(), childKind+"="+kind)
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGQUIT) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == unable {
		t.Skipf("%s", out)
	}
	require.NoError(t, ctx.Err(), "it hangs:\n%s", out)
	return string(out), err
}

// heavy is much of everything.
func heavy() error {
	programs := 150
	if testing.Short() {
		programs = 6
	}
	if err := mixed(programs, 5); err != nil {
		return err
	}
	m, end := newMill(taskgraph.Options{Workers: 3}, namedthread.Options{})
	return errors.Join(m.grind(short.Scaled(200)), end(), asBefore())
}

// before are the processors of the threads at the beginning.
var before = masks.All()

// asBefore looks whether any thread is bound to other processors.
func asBefore() error {
	for _, own := range before {
		for thread, mask := range masks.All() {
			if mask != own {
				return fmt.Errorf("thread %s runs on %s, not on %s", thread, mask, own)
			}
		}
		break // they are alike
	}
	return nil
}

// bound asks for processors, and is told that it has not got them.
func bound() error {
	m, end := newMill(taskgraph.Options{Workers: 2}, namedthread.Options{Affinity: []int{0}})
	if err := m.th.Refused(); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the affinity of a thread: %w", err)
	}
	return errors.Join(m.grind(short.Scaled(200)), end(), heavy())
}

// named asks for a name and a priority, and is told that it has not got them; it sleeps for short
// times, for which the kernel is asked to be exact, and is told apart from threads that have ended.
func named() error {
	m, end := newMill(taskgraph.Options{Workers: 2},
		namedthread.Options{Priority: namedthread.ThreadHighest})
	if err := m.th.Refused(); !errors.Is(err, unix.EPERM) || !errors.Is(err, unix.EACCES) {
		return fmt.Errorf("the name and the priority of a thread: %w", err)
	}
	attached := make(chan error)
	atomics.Go(func() {
		th, err := namedthread.NewRegistry().Attach("attached", namedthread.Options{})
		if err == nil {
			_, err = th.PumpFor(namedthread.QueueMain, time.Millisecond)
			err = errors.Join(err, th.Detach())
		}
		attached <- err
	})
	return errors.Join(<-attached, m.grind(short.Scaled(200)), end(), heavy())
}

// threads needs more threads than there are. The runtime ends the program.
func threads() error {
	registry := namedthread.NewRegistry()
	for i := range 100 {
		if _, err := registry.Start(fmt.Sprint("thread ", i), namedthread.Options{}); err != nil {
			return err
		}
	}
	return errors.New("a hundred threads were made")
}

// crowd has far more goroutines wait than the runtime may make threads.
func crowd() error {
	debug.SetMaxThreads(2 * park.MaxCrowd) // workers and named threads come on top of the crowd
	var wake []*sleepevent.Signal
	woken := make(chan struct{})
	for range 4 * park.MaxCrowd {
		s := sleepevent.NewSignal(sleepevent.Options{})
		wake = append(wake, s)
		atomics.Go(func() { s.Wait(); woken <- struct{}{} })
	}
	if err := heavy(); err != nil {
		return err
	}
	for _, s := range wake {
		s.Trigger()
	}
	for range wake {
		<-woken
	}
	return nil
}

// TestRefused: what the kernel refuses for good costs what it is about and nothing else, and who
// asked for it is told.
func TestRefused(t *testing.T) {
	for kind := range children {
		if kind == "threads" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			watched(t)
			out, err := alone(t, kind)
			require.NoError(t, err, out)
			require.Contains(t, out, "done")
		})
	}
}

// TestRefusedThreads: a program whose system refuses it threads is ended by Go's runtime, which
// says so. It does not hang.
func TestRefusedThreads(t *testing.T) {
	watched(t)
	out, err := alone(t, "threads")
	require.Error(t, err, out)
	// The second is what a program says that was linked with C.
	if !strings.Contains(out, "failed to create new OS thread") &&
		!strings.Contains(out, "pthread_create failed: Resource temporarily unavailable") {
		t.Errorf("it does not say why it ends: %.1000s", out)
	}
}
