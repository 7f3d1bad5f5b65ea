package main

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed native/*.h native/*.cpp
var nativeSources embed.FS

// A program is one of the C++ programs.
type program struct {
	name    string   // of its source without .cpp
	library string   // what it needs, for the reader
	link    []string // flags at the end of the compiler's command line
}

var (
	plainProgram = program{name: "plain"}
	tbbProgram   = program{name: "tbb", library: "oneTBB (Debian: libtbb-dev)", link: []string{"-ltbb"}}
	moodyProgram = program{name: "moodycamel", library: "moodycamel's ConcurrentQueue (Debian: libconcurrentqueue-dev)"}
)

// A nativePeer is a row that runs in a C++ program.
type nativePeer struct {
	row  string
	in   program
	kind string // as the program calls it
}

var (
	vyukovRing  = nativePeer{"Vyukov ring (C++)", plainProgram, "ring"}
	tbbBounded  = nativePeer{"oneTBB bounded (C++)", tbbProgram, "bounded"}
	tbbQueue    = nativePeer{"oneTBB queue (C++)", tbbProgram, "queue"}
	moody       = nativePeer{"moodycamel (C++)", moodyProgram, "plain"}
	moodyTokens = nativePeer{"moodycamel, tokens (C++)", moodyProgram, "tokens"}
	chaseLev    = nativePeer{"Chase-Lev (C++)", plainProgram, "deque"}
	nativeFutex = nativePeer{"raw futex (C++)", plainProgram, "futex"}
	nativeSpin  = nativePeer{"spin (C++)", plainProgram, "spin"}
)

// counted is the peer's row in a table of operations that answers with a time and a sum.
func (p nativePeer) counted(job string) row {
	return row{name: p.row, prepare: func(s *session) (turn, error) {
		child, err := s.native.start(p.in)
		if err != nil {
			return nil, err
		}
		return counted(p.row, func(n int) (time.Duration, error) {
			answer, err := child.ask(job, p.kind, n)
			if err != nil {
				return 0, err
			}
			if len(answer) != 2 {
				return 0, fmt.Errorf("%d numbers for an answer, want 2", len(answer))
			}
			return time.Duration(answer[0]), checkSum(uint64(answer[1]), n)
		}).prepare(s)
	}}
}

// sampled is the peer's row in a table of wakes: n latencies, then what they cost the waker.
func (p nativePeer) sampled(job string, each time.Duration) row {
	return row{name: p.row, prepare: func(s *session) (turn, error) {
		child, err := s.native.start(p.in)
		if err != nil {
			return nil, err
		}
		n := s.samples(each)
		t := turn(func() ([]float64, error) {
			answer, err := child.ask(job, p.kind, n)
			if err != nil {
				return nil, err
			}
			if len(answer) != 2*n {
				return nil, fmt.Errorf("%d numbers for an answer, want %d", len(answer), 2*n)
			}
			return wakeFigures(answer[:n], answer[n:]), nil
		})
		_, err = t()
		return t, err
	}}
}

// native builds and runs the C++ programs, each when it is first needed.
type native struct {
	off      bool   // leave them out
	compiler string // a command
	optimize string // its flag
	dir      string // of what was built
	children map[string]*child
	failures map[string]error
}

// newNative takes the compiler from $CXX, else g++.
func newNative(off bool) *native {
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "g++"
	}
	return &native{off: off, compiler: compiler, optimize: "-O2", children: map[string]*child{}, failures: map[string]error{}}
}

// start returns the running program, or an absent error.
func (n *native) start(p program) (*child, error) {
	if n.off {
		return nil, absent("left out by -native=false")
	}
	if c := n.children[p.name]; c != nil {
		return c, nil
	}
	if err := n.failures[p.name]; err != nil {
		return nil, err
	}
	c, err := n.build(p)
	if err != nil {
		n.failures[p.name] = err
		return nil, err
	}
	n.children[p.name] = c
	return c, nil
}

// build compiles a program and starts it.
func (n *native) build(p program) (*child, error) {
	path, err := exec.LookPath(n.compiler)
	if err != nil {
		return nil, absent(fmt.Sprintf("no C++ compiler %q (set CXX to have another)", n.compiler))
	}
	if n.dir == "" {
		if n.dir, err = os.MkdirTemp("", "heddle-bench-"); err != nil {
			return nil, err
		}
		if err := os.CopyFS(n.dir, nativeSources); err != nil {
			return nil, err
		}
	}
	program := filepath.Join(n.dir, p.name)
	args := append([]string{"-std=c++17", n.optimize, "-pthread", "-o", program,
		filepath.Join(n.dir, "native", p.name+".cpp")}, p.link...)
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		what := "it does not compile"
		if p.library != "" {
			what = "no " + p.library
		}
		return nil, absent(fmt.Sprintf("%s: %s", what, firstError(out, err)))
	}
	return startChild(program)
}

// firstError picks the line of a compiler's output that tells most.
func firstError(out []byte, err error) string {
	for line := range bytes.Lines(out) {
		if i := bytes.Index(line, []byte("error: ")); i >= 0 {
			return string(bytes.TrimSpace(line[i+len("error: "):]))
		}
		if bytes.Contains(line, []byte("cannot find")) {
			return string(bytes.TrimSpace(line))
		}
	}
	return err.Error()
}

// close ends the programs and removes them.
func (n *native) close() error {
	var errs []error
	for _, c := range n.children {
		errs = append(errs, c.close())
	}
	if n.dir != "" {
		errs = append(errs, os.RemoveAll(n.dir))
	}
	return errors.Join(errs...)
}

// A child is a running program. It is asked by one goroutine at a time.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer

	mu   sync.Mutex
	busy bool // a job is under way
}

func startChild(path string) (*child, error) {
	c := &child{cmd: exec.Command(path)}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	c.cmd.Stderr = &c.stderr
	return c, c.cmd.Start()
}

// ask runs one job and returns the numbers of the answer.
func (c *child) ask(job, kind string, n int) ([]int64, error) {
	if !c.setBusy(true) {
		return nil, errors.New("the C++ program is still at an earlier job")
	}
	if _, err := fmt.Fprintf(c.in, "%s %s %d\n", job, kind, n); err != nil {
		return nil, fmt.Errorf("the C++ program is gone: %w", err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the C++ program is gone: %w %s", err, strings.TrimSpace(c.stderr.String()))
	}
	c.setBusy(false)
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "ok" {
		return nil, fmt.Errorf("the C++ program says: %s", strings.TrimSpace(line))
	}
	numbers := make([]int64, len(words)-1)
	for i, word := range words[1:] {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return nil, fmt.Errorf("the C++ program's answer: %w", err)
		}
	}
	return numbers, nil
}

// setBusy notes the state and reports whether that changed it.
func (c *child) setBusy(busy bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := c.busy != busy
	c.busy = busy
	return changed
}

// close lets the program end, or ends it if it is still at a job that nobody waits for. How it
// ended does not matter: an answer that it owed was missed already.
func (c *child) close() error {
	err := c.in.Close()
	c.mu.Lock()
	busy := c.busy
	c.mu.Unlock()
	if busy {
		_ = c.cmd.Process.Kill()
	}
	_ = c.cmd.Wait()
	return err
}
