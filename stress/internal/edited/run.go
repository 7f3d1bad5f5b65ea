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
	Hung   bool // it did not end in time, or Run was told to stop
	Large  bool // it took more memory than it may
	Err    error
}

// Run runs a program until it ends. One that outlasts the limit, that takes more than so many
// bytes of memory, where that can be seen, or that still runs when ctx ends, is killed.
func Run(ctx context.Context, cmd *exec.Cmd, limit time.Duration, memory int64) (o Outcome) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // a child of the program may hold the output open
	if o.Err = cmd.Start(); o.Err != nil {
		return o
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	over := time.NewTimer(limit)
	defer over.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for running := true; running; {
		select {
		case o.Err = <-ended:
			o.Output = out.String()
			o.Hung = strings.Contains(o.Output, "panic: test timed out after")
			return o
		case <-look.C:
			o.Large = resident(cmd.Process.Pid) > memory
			running = !o.Large
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
