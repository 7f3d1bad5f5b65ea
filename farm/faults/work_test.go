package faults

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/farm/internal/history"
)

// A work is the argument of a job: it says all that the job does, and so what its result is.
type work struct {
	ID    int    `json:"i"`
	Sleep int    `json:"s,omitempty"` // milliseconds
	Size  int    `json:"n,omitempty"` // bytes of the result
	Do    doing  `json:"d,omitempty"`
	From  []work `json:"f,omitempty"` // whose results are further inputs
}

type doing string

const (
	fail  doing = "fail"  // an error each time
	crash doing = "panic" // a panic each time
	die   doing = "die"   // it kills its worker each time
	once  doing = "once"  // an error the first time in the life of the farm
)

const jobName = "work"

func (w work) arg() []byte {
	b, err := json.Marshal(w)
	if err != nil {
		panic(err)
	}
	return b
}

// keyOf is how a work stands in a history.
func keyOf(version string, arg []byte) string { return version + " " + string(arg) }

// A call is what a client wants: a work of its own or the same as that of another call.
type call struct {
	work  work
	from  []int // calls whose results it takes
	after int   // a call that must have succeeded before, or -1
	auto  bool  // here or elsewhere, as the farm likes
}

// ok says whether a serial run of the work succeeds.
func (w work) ok() bool {
	for _, f := range w.From {
		if !f.ok() {
			return false
		}
	}
	return w.Do == "" || w.Do == once
}

// serial is the result of a work, if it has one, of what its inputs are.
func (w work) serial(version string, inputs [][]byte) []byte {
	h := sha256.New()
	_, _ = h.Write([]byte(version))
	_, _ = h.Write(w.arg())
	for _, in := range inputs {
		sum := sha256.Sum256(in)
		_, _ = h.Write(sum[:])
	}
	sum := h.Sum(nil)
	out := make([]byte, 0, w.Size+len(sum))
	for len(out) < max(w.Size, 16) {
		out = append(out, sum...)
		next := sha256.Sum256(sum)
		sum = next[:]
	}
	return out[:max(w.Size, 16)]
}

func (w work) run(version string) []byte {
	inputs := make([][]byte, len(w.From))
	for i, f := range w.From {
		inputs[i] = f.run(version)
	}
	return w.serial(version, inputs)
}

// short is how a result stands in a history.
func short(result []byte) string {
	sum := sha256.Sum256(result)
	return hex.EncodeToString(sum[:8])
}

// wanted is the serial result of a key, as history.Rules want it.
func wanted(key string) (string, bool) {
	version, arg, _ := strings.Cut(key, " ")
	var w work
	if json.Unmarshal([]byte(arg), &w) != nil || !w.ok() {
		return "", false
	}
	return short(w.run(version)), true
}

// mayFail allows what is asked for, and what a worker gives back when it is told to end.
func mayFail(end history.Record) bool {
	return strings.Contains(end.Key, `"d":"once"`) || end.Result == givenBack
}

const givenBack = "given back"

var errOnce = errors.New("the first time it fails")

// A runner has the job functions of one process.
type runner struct {
	log   *history.Log
	marks string // a directory for what has failed once
	runs  atomic.Int64
}

func (r *runner) jobs(versions ...string) *farm.Jobs {
	jobs := farm.NewJobs()
	for _, v := range versions {
		jobs.Register(jobName, v, func(ctx context.Context, in farm.Input, out io.Writer) error {
			return r.do(ctx, v, in, out)
		})
	}
	return jobs
}

// do does a work, and tells the history. An error of the history ends the process: without it
// nothing can be judged.
func (r *runner) do(ctx context.Context, version string, in farm.Input, out io.Writer) error {
	arg, err := in.Bytes(ctx)
	if err != nil {
		return err
	}
	var w work
	if err := json.Unmarshal(arg, &w); err != nil {
		return farm.Permanent(err)
	}
	at := history.Record{Kind: history.Begin, Key: keyOf(version, arg), Run: r.runs.Add(1)}
	must(r.log.Append(at))
	at.Kind = history.End
	result, err := r.result(ctx, version, w, in)
	at.Result = short(result)
	if err != nil {
		at.Failed, at.Result = true, err.Error()
		if ctx.Err() != nil {
			at.Result = givenBack
		}
	}
	must(r.log.Append(at))
	if err == nil {
		_, err = io.Copy(out, bytes.NewReader(result))
	}
	if w.Do == crash {
		panic(err)
	}
	return err
}

func (r *runner) result(ctx context.Context, version string, w work, in farm.Input) ([]byte,
	error) {
	inputs := make([][]byte, len(in.Refs()))
	for i := range inputs {
		rc, err := in.OpenRef(ctx, i)
		if err != nil {
			return nil, err
		}
		inputs[i], err = io.ReadAll(rc)
		if err = errors.Join(err, rc.Close()); err != nil {
			return nil, err
		}
	}
	if w.Sleep > 0 {
		select {
		case <-time.After(time.Duration(w.Sleep) * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	switch w.Do {
	case fail, crash:
		return nil, fmt.Errorf("work %d cannot be done", w.ID)
	case die:
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // it is on its way
	case once:
		mark := filepath.Join(r.marks, fmt.Sprint(w.ID))
		f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			_ = f.Close()
			return nil, errOnce
		}
	}
	return w.serial(version, inputs), nil
}

// note tells the history which results count.
func (r *runner) note(n farm.Note) {
	if n.What == farm.NoteCompleted {
		must(r.log.Append(history.Record{Kind: history.Counted, Key: n.Key.String(),
			Result: hex.EncodeToString(n.Result[:8])}))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// A mix says what calls there are.
type mix struct {
	Seed  uint64
	N     int
	Plain bool // short and alike
	Sleep int  // of each plain one, milliseconds
	Size  int  // of the result of each plain one
	Once  int  // one of so many plain ones fails the first time; 0 is none
	Do    doing

	Steady bool // drawn as the others, all for workers, nothing fails, and each takes Sleep more

	Large int // one of so many has a result that goes through the object store; 0 is one of fifty

	// Poisoned makes the second of the plain ones do Do, and the third take its result.
	Poisoned bool
}

// calls draws the calls of a mix. They are the same in each process that asks.
func (m mix) calls() []call {
	r := rand.New(rand.NewPCG(m.Seed, 24))
	calls := make([]call, m.N)
	for i := range calls {
		c := call{work: work{ID: i, Size: 16 + r.IntN(512)}, after: -1}
		calls[i] = c
		if m.Plain {
			calls[i].work = work{ID: i, Sleep: m.Sleep, Size: max(m.Size, 16)}
			switch {
			case m.Once > 0 && i%m.Once == 0:
				calls[i].work.Do = once
			case m.Poisoned && i == 1:
				calls[i].work.Do = m.Do
			case m.Poisoned && i == 2:
				calls[i].from, calls[i].work.From = []int{1}, []work{calls[1].work}
			}
			continue
		}
		c.work.Sleep = m.Sleep + r.IntN(4)
		c.auto = r.IntN(30) == 0 && !m.Steady
		earlier := func() int { return max(0, i-1-r.IntN(100)) }
		switch at := r.IntN(1000); {
		case i == 0:
		case m.Steady && at < 50:
		case at < 10:
			c.work.Do = fail
		case at < 15:
			c.work.Do = crash
		case at < 50:
			c.work.Do = once
		case at < 70:
			c.work.Size = 70<<10 + r.IntN(200<<10) // through the object store
		case at < 90:
			c.work.Sleep = 200 + r.IntN(400) // to be killed in the middle of
		case m.Large > 0 && i%m.Large == 0:
			c.work.Size = 300 << 10
		case at < 140: // of the results of others
			for range 1 + r.IntN(2) {
				if j := earlier(); len(calls[j].from) == 0 {
					c.from = append(c.from, j)
					c.work.From = append(c.work.From, calls[j].work)
				}
			}
		case at < 190: // after another one, which succeeds
			if j := earlier(); calls[j].work.ok() {
				c.after = j
			}
		case at < 240: // the same as another one
			j := earlier()
			c.work, c.from = calls[j].work, calls[j].from
		}
		calls[i] = c
	}
	return calls
}
