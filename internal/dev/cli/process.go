package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a process that is to end may take to.
const patience = 10 * time.Second

// company is how long an interruption may come to a process before it comes to this one.
var company = time.Second

// Process is exec.CommandContext for programs that clean up: at the end of ctx they are
// interrupted, and killed only if that does not help.
func Process(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	return cmd
}

// Interrupted reports whether a process ended, or was ended, because of the interruption that ends
// ctx. That may have come to the process first: a terminal sends it to all. err is what Run or Wait
// of the process returned.
func Interrupted(ctx context.Context, err error) bool {
	if err == nil {
		return false
	}
	if text := err.Error(); strings.HasPrefix(text, "signal: interrupt") ||
		strings.HasPrefix(text, "signal: terminated") {
		select {
		case <-ctx.Done():
		case <-time.After(company):
		}
	}
	return ctx.Err() != nil
}
