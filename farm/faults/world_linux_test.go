package faults

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proc"
	"github.com/heddle-go/heddle/farm/internal/proxy"
)

// soon is when what is waited for has come, unless a scene has found something.
const soon = time.Minute

// A world has the processes of one scene, their history, and the network between them.
type world struct {
	*testing.T
	dir     string
	program string // that the processes are of, or "" for this one
	nursery *proc.Nursery
	log     *history.Log
	end     []func()

	mu    sync.Mutex
	lives map[string]int
	all   []*proc.Process
}

func newWorld(t *testing.T) *world {
	if testing.Short() {
		t.Skip("the long form only")
	}
	w := &world{T: t, dir: t.TempDir(), lives: map[string]int{}}
	log, err := history.Open(w.history(), "the world")
	require.NoError(t, err)
	w.log = log
	w.nursery = proc.New(w.dir)
	t.Cleanup(func() {
		if t.Failed() {
			w.explain()
		}
		w.nursery.Close()
		for _, end := range w.end {
			end()
		}
		left, err := proc.Children()
		require.NoError(t, err)
		require.Empty(t, left, "processes")
		require.NoError(t, log.Close())
	})
	return w
}

// explain shows what the processes have logged, and where their goroutines are.
func (w *world) explain() {
	if text, err := os.ReadFile(w.history()); err == nil {
		w.Logf("%s", text[max(0, len(text)-4096):])
	}
	for _, p := range w.all {
		select {
		case <-p.Gone():
		default:
			_ = p.Continue()
			_ = syscall.Kill(p.ID(), syscall.SIGQUIT)
			_ = p.Wait(soon)
		}
		text, err := os.ReadFile(filepath.Join(w.dir, p.Name+".log"))
		w.Logf("%s: %s %v", p.Name, text[:min(len(text), 1<<16)], err)
	}
}

func (w *world) history() string { return filepath.Join(w.dir, "history") }

// start starts the next life of a process.
func (w *world) start(role, name string, config any, s proc.Start) *proc.Process {
	text, err := json.Marshal(config)
	require.NoError(w, err)
	w.mu.Lock()
	w.lives[name]++
	s.Role, s.Name, s.Args = role, fmt.Sprintf("%s.%d", name, w.lives[name]), []string{string(text)}
	s.Program = w.program
	w.mu.Unlock()
	p, err := w.nursery.Start(s)
	require.NoError(w, err)
	w.mu.Lock()
	w.all = append(w.all, p)
	w.mu.Unlock()
	return p
}

// hear is Process.Hear that must come.
func (w *world) hear(p *proc.Process, prefix string) string {
	line, err := p.Hear(prefix, soon)
	require.NoError(w, err)
	return line
}

// kill is kill -9, and the history knows.
func (w *world) kill(p *proc.Process) {
	p.Kill()
	require.NoError(w, w.log.Append(history.Record{Kind: history.Killed, Process: p.Name}))
}

// port returns a port that is free just now.
func (w *world) port() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A node is a NATS server that comes again at the same port with the same files.
type node struct {
	w      *world
	config serverConfig
	start  proc.Start
	*proc.Process
}

func (w *world) server(name string, change func(*node)) *node {
	s := &node{w: w, config: serverConfig{Name: name, Port: w.port(), Token: "t",
		Dir: filepath.Join(w.dir, name), MaxStore: 1 << 30}}
	if change != nil {
		change(s)
	}
	s.up()
	return s
}

func (s *node) up() {
	s.Process = s.w.start("server", s.config.Name, s.config, s.start)
	s.w.hear(s.Process, "ready")
}

// addr is host and port.
func (s *node) addr() string { return "127.0.0.1:" + strconv.Itoa(s.config.Port) }

func urlOf(addr string) string { return "nats://t@" + addr }

// proxy stands before a server.
func (w *world) proxy(addr string) *proxy.Proxy {
	p, err := proxy.New(addr)
	require.NoError(w, err)
	w.end = append(w.end, p.Close)
	return p
}

// config is that of a farm whose server is at an address.
func (w *world) config(url string) farmConfig {
	return farmConfig{URL: url, History: w.history(), Marks: w.dir, Versions: []string{"1"},
		Slots: 4, AckWait: time.Second, MaxDeliver: 8, Recheck: 200 * time.Millisecond,
		Version: "1", Window: 256}
}

func (w *world) worker(name string, c farmConfig) *proc.Process {
	p := w.start("worker", name, c, proc.Start{})
	return p
}

func (w *world) client(name string, c farmConfig, m mix) *proc.Process {
	c.Mix = m
	return w.start("client", name, c, proc.Start{})
}

// finish waits for the client, ends the others, and judges.
func (w *world) finish(client *proc.Process, rules history.Rules, others ...*proc.Process) (
	*history.Verdict, []history.Record) {
	w.hear(client, "done")
	require.NoError(w, client.Wait(soon))
	for _, p := range others {
		require.NoError(w, p.End(soon), p.Name)
	}
	return w.judge(rules)
}

func (w *world) judge(rules history.Rules) (*history.Verdict, []history.Record) {
	records, torn, err := history.Read(w.history())
	require.NoError(w, err)
	rules.Torn, rules.Want, rules.MayFail = torn, wanted, mayFail
	v := history.Check(records, rules)
	w.Log(v)
	if n := w.forgotten(); n > 0 {
		w.Logf("%d times the server had forgotten a job (C6)", n)
	}
	for _, wrong := range v.Wrong[:min(len(v.Wrong), 10)] {
		w.Error(wrong)
	}
	require.NoError(w, v.Err())
	return v, records
}

// forgotten counts what the clients have logged of C6.
func (w *world) forgotten() (n int) {
	for _, p := range w.all {
		text, err := os.ReadFile(filepath.Join(w.dir, p.Name+".log"))
		require.NoError(w, err)
		n += strings.Count(string(text), "the server had forgotten a job")
	}
	return n
}
