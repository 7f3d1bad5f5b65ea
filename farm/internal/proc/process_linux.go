package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Process is a child. Its methods may be called by any goroutine.
type Process struct {
	Name string

	nursery *Nursery
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string   // what it says
	gone    chan struct{} // closed when it is dead and has been waited for
	err     error         // how it ended; to be read when it is gone
}

func (p *Process) start() error {
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	started := make(chan error)
	p.nursery.starts <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return err
	}
	p.in = in
	go func() {
		// A line that nobody takes is dropped, or a child that talks would come to stand.
		for s := bufio.NewScanner(out); s.Scan(); {
			select {
			case p.lines <- s.Text():
			default:
			}
		}
		close(p.lines)
		p.err = p.cmd.Wait()
		p.nursery.mu.Lock()
		delete(p.nursery.children, p)
		p.nursery.mu.Unlock()
		close(p.gone)
	}()
	return nil
}

// ID returns the process id.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Kill is kill -9. It returns when the process is gone, so that it writes nothing later. A process
// that is stopped dies as well, and one that is gone stays so.
func (p *Process) Kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL) // fails only if it has been waited for
	<-p.gone
}

// Stop is SIGSTOP: the process does nothing, and does not know it. It returns when all its threads
// stand.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for {
		state, err := p.status("State")
		if err != nil || strings.HasPrefix(state, "T") {
			return err
		}
		time.Sleep(time.Millisecond) // there is nothing to wait on but what /proc says
	}
}

// Continue is SIGCONT.
func (p *Process) Continue() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Tell writes a line to the child.
func (p *Process) Tell(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

// End asks the child to end, and waits so long until it has. It returns how that went: nil is
// status 0. If it does not end it is killed.
func (p *Process) End(within time.Duration) error {
	_ = p.in.Close()
	return p.Wait(within)
}

// Wait waits so long until the child has ended by itself, and kills it otherwise.
func (p *Process) Wait(within time.Duration) error {
	select {
	case <-p.gone:
		return p.err
	case <-time.After(within):
		p.Kill()
		return fmt.Errorf("proc: %s has not ended in %v", p.Name, within)
	}
}

// Gone returns a channel that is closed when the process is dead.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// ErrSilent is of a child that has not said what was waited for.
var ErrSilent = errors.New("proc: the child did not say it")

// Hear returns the rest of the next line of the child that begins so. Other lines are passed over.
// It returns ErrSilent if there is none within that time, or if the child ends.
func (p *Process) Hear(prefix string, within time.Duration) (string, error) {
	end := time.After(within)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return "", fmt.Errorf("%w: %s has ended before %q", ErrSilent, p.Name, prefix)
			}
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				return rest, nil
			}
		case <-end:
			return "", fmt.Errorf("%w: %s, %q in %v", ErrSilent, p.Name, prefix, within)
		}
	}
}

// Memory returns how many bytes of memory the process has now, and the most it has ever had.
func (p *Process) Memory() (now, most int64, err error) {
	for _, f := range []struct {
		name string
		to   *int64
	}{{"VmRSS", &now}, {"VmHWM", &most}} {
		text, err := p.status(f.name)
		if err != nil {
			return 0, 0, err
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("proc: %s of %s: %w", f.name, p.Name, err)
		}
		*f.to = n << 10
	}
	return now, most, nil
}

// status returns a field of /proc/PID/status.
func (p *Process) status(field string) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.ID()))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(rest), nil
		}
	}
	return "", fmt.Errorf("proc: %s of %s: no such field", field, p.Name)
}

// parents reads a process id and that of its parent from /proc/PID/stat. The name between may have
// any characters.
func parents(stat string) (id, parent int, ok bool) {
	first, _, _ := strings.Cut(stat, " ")
	rest := stat[strings.LastIndexByte(stat, ')')+1:]
	f := strings.Fields(rest)
	if len(f) < 2 {
		return 0, 0, false
	}
	id, err := strconv.Atoi(first)
	parent, err2 := strconv.Atoi(f[1])
	return id, parent, err == nil && err2 == nil
}
