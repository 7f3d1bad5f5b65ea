package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// A Nursery has the children of a process. Its methods may be called by any goroutine.
//
// A child dies with its parent, however that ends: Linux kills a child when the thread ends that
// has started it, so one goroutine, locked to its thread, starts them all.
type Nursery struct {
	dir    string
	starts chan func()

	mu       sync.Mutex
	children map[*Process]bool
	closed   bool
}

// New returns a nursery whose children write what they have to say to files in a directory.
func New(dir string) *Nursery {
	n := &Nursery{dir: dir, starts: make(chan func()), children: map[*Process]bool{}}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread() // its thread lives on
		for start := range n.starts {
			start()
		}
	}()
	return n
}

// Start says how a child is started.
type Start struct {
	Role string
	Name string // of this life of it
	Args []string

	// Program is another build of the program that runs; "" is that itself.
	Program string

	// FileLimit makes writes fail with EFBIG that would make a file longer, in bytes. 0 is none.
	FileLimit uint64

	// Disk has the child see a file system of its own in that directory, of DiskBytes bytes. It
	// goes with the child. Where a user may make no namespaces the start fails.
	Disk      string
	DiskBytes int64
}

// Start starts a child of the program that runs. That must call Main.
func (n *Nursery) Start(s Start) (*Process, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, errors.New("proc: the nursery is closed")
	}
	stderr, err := os.OpenFile(filepath.Join(n.dir, s.Name+".log"),
		os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	self := s.Program
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	c := exec.Command(self, s.Args...)
	c.Env = append(os.Environ(), roleVar+"="+s.Role, nameVar+"="+s.Name)
	if s.FileLimit > 0 {
		c.Env = append(c.Env, fmt.Sprintf("%s=%d", limitVar, s.FileLimit))
	}
	c.Stderr = stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.mount(c)
	p := &Process{Name: s.Name, nursery: n, cmd: c, gone: make(chan struct{}),
		lines: make(chan string, 1024)}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("proc: starting %s: %w", s.Name, err)
	}
	n.children[p] = true
	return p, nil
}

// Close kills all children and waits until they are gone. The nursery can start no more.
func (n *Nursery) Close() {
	n.mu.Lock()
	children := n.children
	n.children = map[*Process]bool{}
	first := !n.closed
	n.closed = true
	n.mu.Unlock()
	for p := range children {
		p.Kill()
	}
	if first {
		close(n.starts)
	}
}

// Children returns the ids of all processes whose parent this process is, zombies too, as /proc
// has them.
func Children() ([]int, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, d := range dirs {
		text, err := os.ReadFile(d)
		if err != nil {
			continue // gone meanwhile
		}
		if id, parent, ok := parents(string(text)); ok && parent == os.Getpid() {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
