//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program is a command as a process, and what the tests call it with. In arguments, DIR stands
// for a folder that is empty but for a file "good" and a model "model.gltf", and for a Go module in
// "module".
type program struct {
	name   string
	module string // its folder
	pkg    string // from there
	verb   string // which of its commands, if it has several
	quick  bool   // to build: also called in short form

	short  string   // does something and prints
	first  string   // what comes before short, with its verb
	list   string   // prints what there is, if it can
	wrong  []string // has a value out of range, or values that do not go together
	unread []string // has a value that cannot be parsed
	clash  []string // names one file twice
	long   string   // takes long, and shows progress
	at     string   // what that matches when it is at work
	// what -json prints if nothing was done: the beginning; empty: there is no -json
	zeros string
	picks bool // it takes an argument behind its flags
	x11   bool // it needs a display, of which there is one for it alone
}

var programs = []program{
	{
		name: "soak", pkg: "./stress/soak", short: "-rounds 1 -run ^queue$", list: "-list",
		wrong: []string{"-ops 0", "-for 0s", "-rounds 0", "-for -1s", "-cpu 0", "-hang 0s",
			"-run ^none$", "-chaos noise"},
		unread: []string{"-for soon", "-run (", "-cpu two", "-seed -1"},
		long:   "-for 1h -run ^queue$", at: "operations; ", zeros: `{"ops":0,"failures":0,`,
	},
	{
		name: "model", pkg: "./stress/model", list: "-list -run ^lockfree/",
		wrong: []string{"-for 0s", "-executions 0", "-p 0", "-programs 1", "-seed 0",
			"-min-each -1", "-run ^none$", "-state DIR/a", "-piece 1s"},
		unread: []string{"-run (", "-executions many"},
		long:   "-run ^lockfree/TestModelStack$", at: "building",
		zeros: `{"executions":0,"programs":0,"complete":0,"failures":0,"seconds":0,"race":false,"suites":[]`,
	},
	{
		name: "zoo", pkg: "./stress/zoo", quick: true, short: "", list: "-list",
		wrong: []string{"-native -count 0", "-count 3", "-short", "-run Test", "-p 0",
			"-timeout 0s", "-only ^none$"},
		unread: []string{"-only (", "-native -run Test/[", "-native -run (/x", "-count x"},
		long:   "-only ^Stack/ -table DIR/good", at: "building",
		zeros: `{"found":0,"of":0,"native":false,"specimens":[]}`,
	},
	{
		name: "mutants", module: "stress/mutants", pkg: ".", list: "-list -pkg ./internal/paged",
		wrong: []string{"-p 0", "-for 0s", "-programs 1", "-timeout 0s", "-again", "-sample 0",
			"-state DIR/a -table DIR/a", "-state DIR"},
		unread: []string{"-only (", "-for soon"},
		long:   "-pkg ./internal/paged -table DIR/good", at: "without an edit",
		zeros: `{"files":[]}`,
	},
	{
		name: "cover", pkg: "./stress/cover",
		wrong:  []string{"-step all", "-executions 0", "-for 0s", "-seed 0", "-dir DIR"},
		unread: []string{"-for soon", "-executions many"},
		long:   "-step tests -dir DIR/cover", at: "tests",
		zeros: `{"steps":null,"packages":null,"files":null}`,
	},
	{
		name: "verification", pkg: "./stress/verification",
		wrong: []string{"-port x", "-zoo DIR/none", "-model DIR/good", "-records DIR/good",
			"-check -passed x"},
		unread: []string{"-check=perhaps"},
	},
	{
		name: "commands", module: "internal/dev/archtest", pkg: "./commands", list: "-list",
		wrong:  []string{"-limit 0s", "-while 500ms", "-piece -1s", "-dir DIR"},
		unread: []string{"-limit soon", "-only ("},
	},
	{
		name: "typecheck", module: "examples", pkg: "./typecheck", short: "-runs 1 -dir DIR/module",
		wrong:  []string{"-workers 0", "-runs 0", "-dir DIR"},
		unread: []string{"-workers two"},
		long:   "-runs 1000000 -dir DIR/module -dot DIR/good", at: "pass 2",
		zeros: `{"packages":0,"edges":0,`,
	},
	{
		name: "frameloop", module: "examples", pkg: "./frameloop", short: "-frames 1 -size 1",
		wrong: []string{"-frames 0", "-size 0", "-fps -1", "-physics best", "-png DIR",
			"-budget -1", "-dir DIR", "-dir DIR/none", "-dir DIR/good", "-make DIR/good",
			"-make DIR/a -dir DIR/a"},
		unread: []string{"-seed -1"},
		clash: []string{"-png DIR/a -lag DIR/a", "-trace DIR/a.json -dot DIR/x/../a.json",
			"-frames 5 -out DIR -dot DIR/frame-00003.png"},
		long: "-frames 1000000 -size 1 -png DIR/good -dot DIR/new", at: "frame 2",
		zeros: `{"frames":0,"scene":"mixed","seed":1,`,
	},
	{
		name: "pool", module: "examples", pkg: "./pool", short: "-workers 1",
		wrong:  []string{"-workers 0", "-workers 1025"},
		unread: []string{"-workers two"},
	},
	{
		name: "embedded", module: "examples", pkg: "./embedded", short: "-points 100",
		wrong:  []string{"-workers 0", "-workers 1025", "-points 0", "-points 1000001"},
		unread: []string{"-workers two", "-points many"},
		long:   "-points 1000000", at: "round 1",
	},
	{
		name: "slow", module: "examples", pkg: "./slow", short: "-case long-task",
		wrong: []string{"-workers 0", "-case good", "-case long-task -trace DIR/x.txt",
			"-case long-task -graph DIR", "-mended", "-lanes DIR/a"},
		unread: []string{"-workers two"},
		clash:  []string{"-case long-task -lanes DIR/a -graph DIR/a"},
		zeros:  `{"workers":`,
	},
	{
		name: "synth", module: "examples", pkg: "./synth", short: "-voices 1 -for 20ms",
		wrong: []string{"-workers 0", "-voices 0", "-voices 50000", "-for -1s", "-for 0s",
			"-trial 0s", "-trial 1s -voices 3", "-misses 51", "-for 1s -o DIR/a", "-o DIR",
			"-o DIR/none/x.wav"},
		unread: []string{"-voices some", "-for soon", "-trial soon", "-misses few"},
		long:   "-o DIR/good -voices 4096", at: "turn 2",
		zeros: `{"file":"","tune_seconds":0,"render_ms":0,`,
	},
	{
		name: "frameloop-gltf", module: "examples/frameloop-gltf", pkg: ".", picks: true,
		short: "-frames 1 DIR/model.gltf",
		wrong: []string{"-frames 0 DIR/model.gltf", "-png DIR/a DIR/none",
			"-dir DIR/none DIR/model.gltf", "-dir DIR/module DIR/model.gltf"},
		unread: []string{"-seed -1", "-make DIR/a"},
		clash: []string{"-png DIR/a -lag DIR/a DIR/model.gltf",
			"-png DIR/model.gltf DIR/model.gltf"},
		long: "-frames 1000000 -png DIR/good DIR/model.gltf", at: "frame 2",
		zeros: `{"frames":0,"scene":"courtyards","seed":1,`,
	},
	{
		name: "glthread", module: "examples/glthread", pkg: ".",
		wrong: []string{"-o DIR/none/x.png", "-o DIR"},
	},
	{
		name: "assets index", module: "assets/cmd", pkg: "./assets", verb: "index", picks: true,
		short: "-registry DIR/module/.registry DIR/module",
		wrong: []string{"-workers 0 DIR/module", "-workers 1025 DIR/module", "DIR/none",
			"DIR/good", "-registry DIR DIR/module"},
		unread: []string{"-workers two DIR"},
		zeros:  `{"resources":0,"bytes":0,"added":0,`,
	},
	{
		name: "assets load", module: "assets/cmd", pkg: "./assets", verb: "load", picks: true,
		short: "-serial DIR/module",
		wrong: []string{"-workers 0 DIR/module", "-kept -1 DIR/module", "DIR/none", "DIR/good",
			"-serial -cache DIR/cache DIR/module", "-registry DIR/good DIR/module"},
		unread: []string{"-workers two DIR", "-kept much DIR"},
		zeros:  `{"resources":0,"failed":0,"bytes":0,`,
	},
	{
		name: "assets compare", module: "assets/cmd", pkg: "./assets", verb: "compare", picks: true,
		short: "-rounds 1 DIR/module",
		wrong: []string{"-workers 0 DIR/module", "-limit 0 DIR/module", "-rounds 0 DIR/module",
			"-way fast DIR/module", "-way serial -rounds 2 DIR/module", "DIR/none", "DIR/good"},
		unread: []string{"-workers two DIR", "-rounds many DIR"},
		long:   "-rounds 100000 DIR/module", at: "compare",
		zeros: `{"resources":0,"bytes":0,"workers":0,`,
	},
	{
		name: "assets watch", module: "assets/cmd", pkg: "./assets", verb: "watch", picks: true,
		wrong:  []string{"-workers 0 DIR/module", "-for 0s DIR/module", "DIR/none", "DIR/good"},
		unread: []string{"-workers two DIR", "-for long DIR"},
		long:   "DIR/module", at: "load",
		zeros: `{"resources":0,"failed":0,`,
	},
	{
		name: "assets graph", module: "assets/cmd", pkg: "./assets", verb: "graph", picks: true,
		short: "DIR/module",
		wrong: []string{"-workers 0 DIR/module", "-workers 1025 DIR/module", "DIR/none",
			"DIR/good", "-svg DIR DIR/module", "-svg DIR/none/x.svg DIR/module",
			"-registry DIR/good DIR/module"},
		unread: []string{"-workers two DIR"},
		zeros:  `{"nodes":[],"edges":[]}`,
	},
	{
		name: "assets verify", module: "assets/cmd", pkg: "./assets", verb: "verify", picks: true,
		first: "index -registry DIR/module/.registry DIR/module",
		short: "-registry DIR/module/.registry DIR/module",
		wrong: []string{"-workers 0 DIR/module", "DIR/module", "DIR/none", "DIR/good",
			"-registry DIR/none DIR/module", "-registry DIR/good DIR/module"},
		unread: []string{"-workers two DIR", "-roots ( DIR"},
		zeros:  `{"resources":0,"files":0,"findings":[]}`,
	},
	{
		name: "assets serve", module: "assets/cmd", pkg: "./assets", verb: "serve", picks: true,
		wrong: []string{"-for 0s DIR/module", "-for -1s DIR/module", "DIR/none", "DIR/good",
			"-addr nowhere DIR/module", "-addr 127.0.0.1:x DIR/module"},
		unread: []string{"-for long DIR"},
		long:   "DIR/module", at: "serving",
		zeros: `{"url":"","requests":0,`,
	},
	{
		name: "assets generate", module: "assets/cmd", pkg: "./assets", verb: "generate",
		picks:  true,
		wrong:  []string{"-files 0 DIR/new", "DIR", "DIR/good"},
		unread: []string{"-files many DIR/new", "-seed x DIR/new"},
		zeros:  `{"files":0,"bytes":0,`,
	},
	{
		name: "assets build", module: "assets/cmd", pkg: "./assets", verb: "build", picks: true,
		short: "-out DIR/built DIR/module",
		wrong: []string{"DIR/module", "-out DIR/built", "-out DIR/built DIR/none",
			"-out DIR/module DIR/module", "-out DIR/built -workers 0 DIR/module",
			"-out DIR/built -serial -workers 1 DIR/module", "-out DIR/built -rules x DIR/module"},
		unread: []string{"-workers two DIR", "-serial=maybe DIR"},
		zeros:  `{"files":0,"copied":0,`,
	},
	{
		name: "assets work", module: "assets/cmd", pkg: "./assets", verb: "work",
		wrong:  []string{"", "-slots 0 -farm nats://127.0.0.1:1", "-farm nats://127.0.0.1:1"},
		unread: []string{"-slots many"},
		zeros:  `{"slots":0,"runs":0}`,
	},
	{
		name: "words", module: "farm", pkg: "./examples/words", short: "-texts 2",
		wrong:  []string{"-workers -1", "-workers 65", "-texts 0", "-texts 10001"},
		unread: []string{"-workers two", "-texts many"},
	},
	{
		name: "farm bench", module: "farm", pkg: "./cmd/farm", verb: "bench", short: "-n 1",
		wrong:  []string{"-n 0", "-n 1000001", "-size 15", "-nats nats://127.0.0.1:1"},
		unread: []string{"-n many", "-size x"},
		long:   "-n 1000000", at: "one after the other",
	},
	{
		name: "farm status", module: "farm", pkg: "./cmd/farm", verb: "status",
		wrong:  []string{"", "-dead -1", "-nats nats://127.0.0.1:1"},
		unread: []string{"-dead many", "-watch=perhaps"},
	},
	{
		name: "farm purge", module: "farm", pkg: "./cmd/farm", verb: "purge",
		wrong:  []string{"", "-results", "-dead -nats nats://127.0.0.1:1"},
		unread: []string{"-dead=perhaps"},
	},
	{
		name: "farm serve", module: "farm", pkg: "./cmd/farm", verb: "serve",
		wrong: []string{"-dir DIR/good"},
	},
	{
		name: "scenes", module: "contrib/ark", pkg: "./cmd/scenes",
		short: "-n 100 -for 1us -rounds 1 -only swap",
		wrong: []string{"-n 0", "-n 10,", "-n 10000001", "-only nothing-of-that-name", "-for 0s",
			"-for 2m", "-rounds 0", "-workers 0", "-workers 257"},
		unread: []string{"-for soon", "-rounds many", "-workers two"},
		long:   "-n 100,200 -for 1ms -rounds 10000", at: "scene 1",
	},
	{
		name: "boids", module: "contrib/ebiten", pkg: "./cmd/boids", x11: true,
		short: "-birds 100 -sparks 10 -frames 4 -turn 2",
		wrong: []string{"-birds 0", "-birds 1000001", "-sparks -1", "-way none", "-turn 0",
			"-frames -1", "-frames 61"},
		unread: []string{"-birds many", "-check=perhaps"},
		long:   "-birds 100 -sparks 10 -frames 0", at: "frame 1",
	},
	{
		name: "load", module: "contrib/http", pkg: "./cmd/load",
		short: "-for 20ms -turns 1 -clicks 0.01 -batch 0.01",
		wrong: []string{"-ways none", "-serve none", "-workers 0", "-workers 257", "-turns 0",
			"-turns 1001", "-for 0s", "-for 2m", "-clicks 0", "-batch 101"},
		unread: []string{"-for soon", "-turns many", "-clicks few"},
	},
	{
		name: "compare", module: "contrib/gonum", pkg: "./cmd/compare",
		short: "-sizes 8 -for 1ms -rounds 1 -ops A/A",
		wrong: []string{"-sizes 0", "-sizes a", "-ops none", "-rounds 0", "-workers -1",
			"-workers 257", "-for 0s"},
		unread: []string{"-for soon", "-rounds many", "-workers two"},
		long:   "-sizes 8 -rounds 1000000000", at: "row 1",
	},
	{
		name: "bench", module: "bench", pkg: ".",
		short: "-quick -cpp off -workload deque-pushpop -runtime heddle -pairs 1",
		wrong: []string{"-pairs 0", "-workers 0", "-workload nothing-of-that-name",
			"-runtime nobody-of-that-name", "-cpp off -runtime onetbb"},
		unread: []string{"-workers two", "-cpp maybe", "-pairs many"},
		long: "-quick -cpp off -workload deque-pushpop -runtime heddle -pairs 1000 -out " +
			"DIR/report", at: "turn 2", zeros: "[]",
	},
}

// A build is a program that several commands may be.
type build struct {
	once sync.Once
	path string
	lack string // what says that it cannot be built here
	fail string // what says that it does not compile
}

// builds are the programs by their packages.
type builds struct {
	dir string
	mu  sync.Mutex
	by  map[string]*build
}

// built makes a program, once for all of its commands, and returns its path.
func (b *builds) built(t *testing.T, p *program) string {
	t.Helper()
	b.mu.Lock()
	one := b.by[p.module+p.pkg]
	if one == nil {
		one = &build{path: filepath.Join(b.dir, strings.Fields(p.name)[0])}
		b.by[p.module+p.pkg] = one
	}
	b.mu.Unlock()
	one.once.Do(func() { one.make(p) })
	if one.lack != "" {
		t.Skip(one.lack)
	}
	require.Empty(t, one.fail)
	return one.path
}

func (b *build) make(p *program) {
	at := filepath.Join("../../..", p.module)
	if p.module != "" && os.Getenv(needed) == "" {
		deps := exec.Command("go", "list", "-deps", p.pkg)
		deps.Dir, deps.Env = at, append(os.Environ(), "GOPROXY=off")
		if out, err := deps.CombinedOutput(); err != nil {
			b.lack = "what it needs was never downloaded: " + string(out)
			return
		}
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", b.path, p.pkg)
	cmd.Dir = at
	if out, err := cmd.CombinedOutput(); err != nil {
		b.fail = err.Error() + ": " + string(out)
	}
}

// display starts an X server without a screen, which ends with the test, and returns what names it
// in the environment.
func display(t *testing.T) (env []string) {
	path, err := exec.LookPath("Xvfb")
	if err == nil {
		_, err = os.Stat("/usr/include/X11/extensions/Xrandr.h") // to build what opens windows
	}
	if err != nil {
		if os.Getenv("XVFB_NEEDED") != "" {
			t.Fatal(err)
		}
		t.Skip("see contrib/ebiten/README.md: ", err)
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	// It chooses a number that is free, and writes it when it is ready. No port is opened.
	server := exec.Command(path,
		"-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Signal(syscall.SIGTERM))
		_ = server.Wait() // its status is that of the signal
	})
	require.NoError(t, write.Close())
	line, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err, "Xvfb has ended")
	// A cookie for any host and display, of which the server takes no notice; without one the
	// engine says that it is missing.
	cookie := filepath.Join(t.TempDir(), "cookie")
	require.NoError(t, os.WriteFile(cookie, []byte("\xff\xff"+"\x00\x00"+"\x00\x00"+
		"\x00\x12MIT-MAGIC-COOKIE-1"+"\x00\x10"+strings.Repeat("\x00", 16)), 0o600))
	return []string{"DISPLAY=:" + strings.TrimSpace(line), "XAUTHORITY=" + cookie}
}

// needed names the variable that says that all modules are here, or can be downloaded: where it is
// set, a test that cannot run fails.
const needed = "COMMANDS_NEEDED"

// look looks at all sources, so that the go command knows that the result depends on them.
func look(t *testing.T) {
	require.NoError(t, filepath.WalkDir("../../..",
		func(name string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.IsDir() {
				return fs.SkipDir
			}
			if err == nil && (strings.HasSuffix(name, ".go") || d.Name() == "go.mod") {
				_, err = os.Stat(name)
			}
			return err
		}))
}

// A triangle, as a file of figures.
const model = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}`

// A site is where a program is called.
type site struct {
	t    *testing.T
	path string
	verb string
	dir  string // DIR
	temp string // for what it makes on its way
	env  []string
}

func newSite(t *testing.T, path, verb string) *site {
	s := &site{t: t, path: path, verb: verb, dir: t.TempDir(), temp: t.TempDir()}
	for name, text := range map[string]string{
		"good": "good", "model.gltf": model, "module/go.mod": "module example.com/m\n\ngo 1.26\n",
		"module/m.go": "package m\n",
	} {
		name = filepath.Join(s.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return s
}

// prepare returns the process of a command line.
func (s *site) prepare(line string) *exec.Cmd {
	cmd := exec.Command(s.path,
		strings.Fields(s.verb+" "+strings.ReplaceAll(line, "DIR", s.dir))...)
	cmd.Env = append(append(os.Environ(), "TMPDIR="+s.temp), s.env...)
	return cmd
}

// run runs a command line to its end.
func (s *site) run(line string, stdout io.Writer) (status int, stderr string) {
	s.t.Helper()
	cmd := s.prepare(line)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = stdout, &errs
	if err := cmd.Run(); err != nil {
		require.IsType(s.t, &exec.ExitError{}, err, line)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

// clean requires that nothing is left, and that what was there is as it was.
func (s *site) clean(why string) {
	s.t.Helper()
	left, err := os.ReadDir(s.temp)
	require.NoError(s.t, err)
	require.Empty(s.t, left, why)
	text, err := os.ReadFile(filepath.Join(s.dir, "good"))
	require.NoError(s.t, err)
	require.Equal(s.t, "good", string(text), why)
	inside, err := filepath.Glob(filepath.Join(s.dir, ".*"))
	require.NoError(s.t, err)
	require.Empty(s.t, inside, why)
}

// Each command, as a process, with each fault.
func TestCommands(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("nothing to build with: ", err)
	}
	look(t)
	all := builds{dir: t.TempDir(), by: map[string]*build{}}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if testing.Short() && !p.quick {
				t.Skip("takes long to build")
			}
			t.Parallel()
			var env []string
			if p.x11 {
				env = display(t)
			}
			path := all.built(t, &p)
			for fault, try := range map[string]func(*program, *site){
				"help": (*program).helps, "usage": (*program).refuses, "range": (*program).checks,
				"full": (*program).loses, "signal": (*program).stops,
			} {
				t.Run(fault, func(t *testing.T) {
					s := newSite(t, path, p.verb)
					s.env = env
					try(&p, s)
					s.clean(fault)
				})
			}
		})
	}
}

func (p *program) helps(s *site) {
	var stdout bytes.Buffer
	status, stderr := s.run("-h", &stdout)
	require.Equal(s.t, OK, status)
	require.Empty(s.t, stdout.String())
	require.Contains(s.t, stderr, "usage: ")
	require.Contains(s.t, stderr, "-progress")
}

// fails requires that a command line fails: in one line, and with the JSON that the command
// describes if that is asked for.
func (p *program) fails(s *site, line string, want int) {
	s.t.Helper()
	var stdout bytes.Buffer
	status, stderr := s.run(line, &stdout)
	require.Equal(s.t, want, status, "%s %s: %s", p.name, line, stderr)
	require.Empty(s.t, stdout.String(), line)
	require.Regexp(s.t, `^`+p.name+`: .+\n$`, stderr, line)
	require.Equal(s.t, 1, strings.Count(stderr, "\n"), "%s: %s", line, stderr)
	if p.zeros == "" {
		return
	}
	status, again := s.run("-json "+line, &stdout)
	require.Equal(s.t, want, status, line)
	require.Equal(s.t, stderr, again, line)
	require.True(s.t, json.Valid(stdout.Bytes()), "%s: %q", line, stdout.String())
	require.True(s.t, strings.HasPrefix(stdout.String(), p.zeros) ||
		strings.Contains(line, "-seed"), "%s: %q", line, stdout.String())
}

func (p *program) refuses(s *site) {
	stray := "stray"
	if p.picks {
		stray = "one stray"
	}
	for _, line := range append([]string{"-no-such-flag", stray, "-progress=perhaps"},
		p.unread...) {
		p.fails(s, line, Usage)
	}
}

func (p *program) checks(s *site) {
	for _, line := range append(p.wrong, p.clash...) {
		p.fails(s, line, Failed)
	}
}

// loses calls what prints with a standard output on which there is no room.
func (p *program) loses(s *site) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		s.t.Skip("needs /dev/full")
	}
	defer full.Close()
	if p.first != "" {
		before := *s
		before.verb = ""
		status, stderr := before.run(p.first, io.Discard)
		require.Equal(s.t, OK, status, "%s: %s", p.first, stderr)
	}
	for _, line := range []string{p.short, p.list} {
		if line == "" {
			continue
		}
		lines := []string{line}
		if p.zeros != "" {
			lines = append(lines, "-json "+line)
		}
		for _, line := range lines {
			status, stderr := s.run(line, full)
			require.Equal(s.t, Failed, status, "%s: %s", line, stderr)
			require.Contains(s.t, stderr,
				p.name+": standard output: write /dev/stdout: no space left on device\n", line)
		}
	}
	if p.name == "frameloop" {
		status, stderr := s.run("-png /dev/full "+p.short, io.Discard)
		require.Equal(s.t, Failed, status, stderr)
		require.Contains(s.t, stderr, ": -png: write /dev/full: no space left on device\n")
		for _, line := range []string{"-make DIR/models", "-frames 1 -size 1 -dir DIR/models"} {
			status, stderr = s.run(line, full)
			require.Equal(s.t, Failed, status, "%s: %s", line, stderr)
			require.Contains(s.t, stderr,
				": standard output: write /dev/stdout: no space left on device\n", line)
		}
	}
}

// A call is of a command line that takes long, and ends with a signal.
type call struct {
	sig  os.Signal
	line string
}

// stops interrupts and terminates it while it is at work.
func (p *program) stops(s *site) {
	if p.long == "" {
		s.t.Skip("it does not take long")
	}
	calls := []call{{os.Interrupt, p.long}, {syscall.SIGTERM, p.long}}
	if p.zeros != "" {
		calls[1].line = "-json " + p.long
	}
	if p.name == "frameloop" {
		status, stderr := s.run("-make DIR/models", io.Discard)
		require.Equal(s.t, OK, status, stderr)
		calls = append(calls, call{os.Interrupt, p.long + " -dir DIR/models"})
	}
	for _, c := range calls {
		line, sig := c.line, c.sig
		cmd := s.prepare("-progress " + line)
		w := &watcher{at: regexp.MustCompile(p.at), there: make(chan struct{})}
		var stdout bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, w
		require.NoError(s.t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-w.there:
		case err := <-ended:
			require.Failf(s.t, "it has ended", "%s: %v: %s", line, err, w.text())
		}
		require.NoError(s.t, cmd.Process.Signal(sig))
		<-ended
		require.Equal(s.t, Failed, cmd.ProcessState.ExitCode(), "%s: %s", line, w.text())
		require.Regexp(s.t, `(?m)`+p.name+`: .*\binterrupted\b`, w.text())
		require.NotContains(s.t, stdout.String()+w.text(), "FAIL")
		if strings.HasPrefix(line, "-json") {
			require.True(s.t, json.Valid(stdout.Bytes()), "%s: %q", line, stdout.String())
		}
		if p.name == "bench" {
			require.FileExists(s.t, filepath.Join(s.dir, "report", "report.md"),
				"what was measured is reported")
			require.Contains(s.t, stdout.String(), "deque-pushpop")
		}
		s.clean(line)
	}
}

// A watcher keeps what is written, and tells when that matches.
type watcher struct {
	at    *regexp.Regexp
	there chan struct{}

	mu   sync.Mutex
	b    bytes.Buffer
	seen bool
}

func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Write(p)
	if !w.seen && w.at.Match(w.b.Bytes()) {
		w.seen = true
		close(w.there)
	}
	return len(p), nil
}

func (w *watcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}
