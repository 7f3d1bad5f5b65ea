package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// childLife is how long a child goes on.
const childLife = 30 * time.Second

// grace is how much later than its own watchdog a child is given up; tests shorten it.
var grace = 10 * time.Second

// patience is how long a child may take to begin, and to end once it was told to.
const patience = 10 * time.Second

// A master orders rounds from children and adds up.
type master struct {
	options
	stderr, text io.Writer
	show         *cli.Progress
	begin        time.Time
	kept         *state // nil: nothing is kept

	sum summary
}

// A summary is what came of it: what -json writes.
type summary struct {
	Ops       int64            `json:"ops"`       // operations that were checked
	Failures  int              `json:"failures"`  // 0 or 1: the first one ends it
	Seed      uint64           `json:"seed"`      // of the first round, or of the one that failed
	Rounds    uint64           `json:"rounds"`    // that have ended
	Seconds   float64          `json:"seconds"`   // wall clock
	Workloads map[string]int64 `json:"workloads"` // operations of each
	Failure   string           `json:"failure,omitempty"`
	Replay    string           `json:"replay,omitempty"` // a command
}

func newMaster() *master { return &master{sum: summary{Workloads: map[string]int64{}}} }

// begins says what is to be done.
func (m *master) begins(o options, call *cli.Call) (err error) {
	m.options, m.sum.Seed = o, o.seed
	m.stderr, m.text, m.show, m.begin = call.Stderr, call.Text, call.Progress, time.Now()
	if m.kept, err = openState(o, &m.sum); m.kept != nil {
		m.seed = m.sum.Seed
		if m.sum.Failures > 0 {
			m.seed = m.kept.First
		}
	}
	return err
}

// soak does what was asked for.
func (m *master) soak(ctx context.Context) (err error) {
	for ctx.Err() == nil && m.sum.Failures == 0 && !m.enough() && err == nil {
		err = m.child(ctx)
		m.sum.Seconds = m.gone().Seconds()
		err = errors.Join(err, m.kept.save(&m.sum))
	}
	m.show.Clear()
	m.sum.Seconds = m.gone().Seconds()
	for _, w := range m.workloads() {
		if n := m.sum.Workloads[w.name]; n > 0 {
			fmt.Fprintf(m.text, "%-14s %12d %s\n", w.name, n, w.counts)
		}
	}
	if m.sum.Failures > 0 {
		err = cli.ErrFailed
		fmt.Fprintf(m.text, "FAILED %s\nagain: %s\n", m.sum.Failure, m.sum.Replay)
	}
	fmt.Fprintf(m.text, "soak ops=%d failures=%d seed=%d\n", m.sum.Ops, m.sum.Failures, m.sum.Seed)
	return err
}

// enough reports whether all that was asked for is done.
func (m *master) enough() bool {
	return m.rounds > 0 && m.sum.Rounds >= m.rounds || m.ops > 0 && m.sum.Ops >= m.ops ||
		m.long > 0 && m.gone() >= m.long || m.piece > 0 && time.Since(m.begin) >= m.piece
}

// gone is the time that this took until now, that of earlier calls included.
func (m *master) gone() time.Duration {
	gone := time.Since(m.begin)
	if m.kept != nil {
		gone += time.Duration(m.kept.before * float64(time.Second))
	}
	return gone
}

// child has one child make rounds.
func (m *master) child(ctx context.Context) error {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	o := order{Seed: m.seed + m.sum.Rounds, Procs: m.procs, Chaos: m.chaos, Only: m.only.String(),
		Hang: int64(m.hang), Nanos: int64(childLife)}
	if m.rounds > 0 {
		o.Rounds = m.rounds - m.sum.Rounds
	}
	if m.ops > 0 {
		o.Ops = m.ops - m.sum.Ops
	}
	if m.long > 0 {
		o.Nanos = int64(min(childLife, m.long-m.gone()))
	}
	if m.piece > 0 {
		o.Nanos = min(o.Nanos, int64(m.piece-time.Since(m.begin)))
	}
	in, err := json.Marshal(o)
	if err != nil {
		return err
	}
	// under .ci/emulated, os.Executable could not be run
	cmd := exec.CommandContext(running, os.Args[0])
	cmd.Env = append(os.Environ(), childMark+"=1", "GOTRACEBACK=all",
		"GORACE=halt_on_error=1 "+os.Getenv("GORACE"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), m.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// A child that is so stuck that not even its watchdog runs is told to show its stacks and end.
	var givenUp atomics.Bool
	dog := time.AfterFunc(m.hang+patience, func() {
		givenUp.Store(true)
		time.AfterFunc(patience, cancel)
		_ = cmd.Process.Signal(syscall.SIGQUIT)
	})
	defer dog.Stop()

	var now line
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			fmt.Fprintln(m.stderr, lines.Text()) // whoever prints there
			continue
		}
		dog.Reset(m.hang + grace)
		m.heard(&now, l)
	}
	err = cmd.Wait()
	switch {
	case m.sum.Failures > 0:
	case now.Seed != 0 && (givenUp.Load() || ctx.Err() == nil):
		m.failed(now,
			fmt.Sprintf("the process has ended, or had to be ended: %v; what it said is above",
				err))
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("a child ended between two rounds: %w", err)
	}
	return nil
}

// heard takes up a line; now is the round under way.
func (m *master) heard(now *line, l line) {
	if !l.Done {
		*now = l
		m.progress(l.What)
		return
	}
	for name, n := range l.Ops {
		m.sum.Workloads[name] += n
		m.sum.Ops += n
	}
	if l.Wrong != "" {
		m.failed(*now, l.Wrong)
	} else {
		m.sum.Rounds++
	}
	*now = line{}
}

// failed notes the failure of a round.
func (m *master) failed(l line, why string) {
	m.sum.Failures, m.sum.Seed = 1, l.Seed
	m.sum.Failure = l.What + "\n" + strings.TrimSpace(why)
	m.sum.Replay = m.replay(l.Seed)
}

// replay is a command that makes the round again.
func (m *master) replay(seed uint64) string {
	var b strings.Builder
	for _, name := range []string{"GODEBUG", "GOGC", "GOMEMLIMIT"} {
		if v := os.Getenv(name); v != "" {
			fmt.Fprintf(&b, "%s=%s ", name, v)
		}
	}
	b.WriteString("go run")
	if race.Enabled {
		b.WriteString(" -race")
	}
	if atomics.Chaos(0, 0) {
		b.WriteString(" -tags modelcheck")
	}
	fmt.Fprintf(&b, " ./stress/soak -seed %d -rounds 1", seed)
	if !slices.Equal(m.procs, defaultProcs) {
		fmt.Fprintf(&b, " -cpu %s",
			strings.ReplaceAll(strings.Trim(fmt.Sprint(m.procs), "[]"), " ", ","))
	}
	if len(m.chaos) > 0 {
		fmt.Fprintf(&b, " -chaos %s", strings.Join(m.chaos, ","))
	}
	if m.only.String() != "" {
		fmt.Fprintf(&b, " -run '%s'", m.only)
	}
	return b.String()
}

// progress shows how far it is.
func (m *master) progress(what string) {
	gone := m.gone()
	done := 0.0
	if m.long > 0 {
		done = float64(gone) / float64(m.long)
	}
	if m.ops > 0 {
		done = max(done, float64(m.sum.Ops)/float64(m.ops))
	}
	if m.rounds > 0 {
		done = max(done, float64(m.sum.Rounds)/float64(m.rounds))
	}
	eta := "?"
	if done > 0.001 {
		eta = time.Duration(float64(gone) * (1/done - 1)).Round(time.Second).String()
	}
	m.show.Show(fmt.Sprintf("%2.0f %%, %v left, %d operations; %s", 100*min(done, 1), eta,
		m.sum.Ops, what))
}
