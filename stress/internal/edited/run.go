package edited

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An Outcome is how a program ended.
type Outcome struct {
	Output string
	Hung   bool // it did not end in time, or did nothing, or Run was told to stop
	Large  bool // it took more memory than it may
	Err    error
}

// Limits are what a program may take.
type Limits struct {
	Time   time.Duration
	Idle   time.Duration // in which it does nothing, where that can be seen
	Memory int64         // bytes, where that can be seen
}

// Run runs a program until it ends. One that exceeds a limit, or that still runs when ctx ends, is
// killed.
func Run(ctx context.Context, cmd *exec.Cmd, limits Limits) (o Outcome) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // a child of the program may hold the output open
	if o.Err = cmd.Start(); o.Err != nil {
		return o
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	over := time.NewTimer(limits.Time)
	defer over.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	// when it was last seen to have done something, and how much
	busy, ticks := time.Now(), int64(0)
	for running := true; running; {
		select {
		case o.Err = <-ended:
			o.Output = out.String()
			o.Hung = strings.Contains(o.Output, "panic: test timed out after")
			return o
		case <-look.C:
			o.Large = resident(cmd.Process.Pid) > limits.Memory
			running = !o.Large
			if now := cpu(cmd.Process.Pid); now < 0 || now > ticks+fewTicks {
				busy, ticks = time.Now(), now
			} else if time.Since(busy) > limits.Idle {
				running = false
			}
		case <-over.C:
			running = false
		case <-ctx.Done():
			running = false
		}
	}
	o.Hung = !o.Large
	killed := cmd.Process.Kill()
	if o.Err = <-ended; o.Err == nil {
		o.Err = killed
	}
	o.Output = out.String()
	return o
}

// fewTicks of its clock a program may take that does nothing: its runtime looks about.
const fewTicks = 2

// cpu returns the ticks of processor time that a process has had, or a negative number where that
// cannot be seen.
func cpu(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return -1
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may hold anything
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return -1
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return -1
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		return -1
	}
	return user + system
}

// resident returns the bytes of memory that a process has, or 0 where that cannot be seen.
func resident(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
