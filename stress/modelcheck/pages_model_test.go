//go:build modelcheck

package modelcheck_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/stress/modelcheck/atomic"
)

// pages are those whose programs and reports are held against what is run.
var pages = []string{"README.md", "tutorial.md"}

// shown are the tests that the pages show. Here they are no tests, since most of them fail.
var shown = map[string]func(t testing.TB){
	"TestModelPops": modelPops, "TestModelQueue": modelQueue,
	"TestModelEmptyQueue": modelEmptyQueue, "TestModelWaitingQueue": modelWaitingQueue,
	"TestModelHelpingQueue": modelHelpingQueue,
}

// withoutTheTag is what another build says; see normal_test.go.
const withoutTheTag = "modelcheck: built without the tag modelcheck; build with -tags modelcheck\n"

// A recordedTest keeps what a test says.
type recordedTest struct {
	fakeTest
	name string
	log  string
}

func (r *recordedTest) Name() string   { return r.name }
func (r *recordedTest) Log(v ...any)   { r.log += fmt.Sprintln(v...) }
func (r *recordedTest) Error(v ...any) { panic(fmt.Sprint(v...)) }
func (r *recordedTest) Fatal(v ...any) { r.log += fmt.Sprintln(v...); r.fakeTest.Fatal(v...) }

// said returns what a test says. The environment must not be that of a longer run.
func said(name string, test func(t testing.TB)) string {
	r := &recordedTest{name: name}
	r.run(func() { test(r) })
	return r.log
}

func defaultEnvironment(t *testing.T) {
	for _, v := range os.Environ() {
		if key, _, _ := strings.Cut(v, "="); strings.HasPrefix(key, "MODELCHECK_") {
			t.Setenv(key, "")
		}
	}
}

func page(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

var fenced = regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$")

// What a page shows as code is compiled, and what it shows as a report is printed.
func TestPagesShowWhatIsRun(t *testing.T) {
	defaultEnvironment(t)
	var sources strings.Builder
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		sources.WriteString(page(t, file))
	}
	reports := []string{withoutTheTag}
	for name, test := range shown {
		reports = append(reports, said(name, test))
	}
	noTests := strings.NewReplacer("func TestModel", "func model", "t *testing.T)", "t testing.TB)")
	for _, file := range pages {
		blocks := map[string]int{}
		for _, block := range fenced.FindAllStringSubmatch(page(t, file), -1) {
			kind, text := block[1], block[2]
			blocks[kind]++
			switch kind {
			case "go":
				require.True(t, strings.Contains(sources.String(), text) ||
					strings.Contains(sources.String(), noTests.Replace(text)),
					"%s shows what is not compiled:\n%s", file, text)
			case "text":
				require.True(t, printed(reports, text), "%s shows\n%sand the reports are\n%s", file,
					text, strings.Join(reports, "\n"))
			case "sh":
			default:
				t.Errorf("%s: a block of %q, not go, text or sh", file, kind)
			}
		}
		require.NotZero(t, blocks["go"], file)
		require.NotZero(t, blocks["text"], file)
	}
}

// The picture in the tutorial is the one that the reader gets. UPDATE_GOLDEN=1 draws it anew.
func TestTutorialShowsTheDrawing(t *testing.T) {
	defaultEnvironment(t)
	folder := t.TempDir()
	t.Setenv("MODELCHECK_DRAW", folder)
	const file = "TestModelQueue.svg"
	require.Contains(t, said("TestModelQueue", modelQueue), filepath.Join(folder, file))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		svg, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("testdata", file), svg, 0o666))
	}
	require.Equal(t, page(t, filepath.Join("testdata", file)), page(t, filepath.Join(folder, file)))
	require.Contains(t, page(t, "tutorial.md"), "](testdata/"+file+")")
}

// printed reports whether a report has the text, in which "..." stands for lines that are left out.
func printed(reports []string, text string) bool {
next:
	for _, report := range reports {
		for part := range strings.SplitSeq(text, "...\n") {
			_, after, ok := strings.Cut(report, part)
			if !ok {
				continue next
			}
			report = after
		}
		return true
	}
	return false
}

// mistakes are what the page lists under this title, each with a model that makes it.
var mistakes = map[string]struct {
	options modelcheck.Options
	model   func(m *modelcheck.Model)
}{
	// Here it is a plain variable, since this module has sync/atomic in one place only.
	"the words of `sync/atomic`": {model: func(m *modelcheck.Model) {
		n := 0
		m.Thread(func() { n++ })
	}},
	"no `Thread`": {model: func(m *modelcheck.Model) {
		var n atomic.Uint32
		n.Add(1)
	}},
	"a go statement": {model: func(m *modelcheck.Model) {
		var n atomic.Uint32
		m.Thread(func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				n.Add(1)
			}()
			<-done
		})
	}},
	"a word of an earlier execution": {model: func() func(m *modelcheck.Model) {
		var n atomic.Uint32
		return func(m *modelcheck.Model) {
			m.Thread(func() { n.Add(1) })
			m.Thread(func() { n.Add(1) })
		}
	}()},
	"a variable of an earlier execution": {model: func() func(m *modelcheck.Model) {
		executions := 0
		return func(m *modelcheck.Model) {
			var n atomic.Uint32
			executions++
			for range 2 {
				m.Thread(func() {
					for range 1 + executions%3 {
						n.Add(1)
					}
				})
			}
		}
	}()},
	"a loop without `atomic.Gosched`": {model: func(m *modelcheck.Model) {
		var done atomic.Bool
		m.Thread(func() {
			for !done.Load() {
			}
		})
		m.Thread(func() { done.Store(true) })
	}},
	"t.FailNow, or require, in a thread": {model: func(m *modelcheck.Model) {
		var n atomic.Uint32
		m.Thread(func() {
			require.Equal(new(testing.T), 2, int(n.Add(1))) // any T ends the goroutine
		})
	}},
	"a ninth thread": {model: func(m *modelcheck.Model) {
		var n atomic.Uint32
		for range 9 {
			m.Thread(func() { n.Add(1) })
		}
	}},
	"a schedule of other code": {options: modelcheck.Options{Schedule: "A2B1"},
		model: func(m *modelcheck.Model) {
			var n atomic.Uint32
			m.Thread(func() { n.Add(1) })
			m.Thread(func() { n.Add(1) })
		}},
}

// blocks is a mistake too, but after it the process can check nothing more.
const blocks = "a channel, a mutex, a `sync.WaitGroup`"

// mistakesOf returns the table of a page: what is printed for each mistake.
func mistakesOf(t *testing.T) map[string]string {
	_, section, ok := strings.Cut(page(t, "tutorial.md"), "\n## How the usual mistakes look\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	row := regexp.MustCompile(`(?m)^\| (.*?) \| (.*?) \| (.*?) \|$`)
	rows := row.FindAllStringSubmatch(section, -1)
	require.Greater(t, len(rows), len(mistakes))
	table := map[string]string{}
	for _, row := range rows[1:] { // below the head
		table[row[1]] = row[2] + ": " + row[3]
	}
	return table
}

// Each mistake fails with the kind and the words that the page has for it.
func TestMistakesLookAsThePageSays(t *testing.T) {
	defaultEnvironment(t)
	table := mistakesOf(t)
	for mistake, m := range mistakes {
		t.Run(mistake, func(t *testing.T) {
			f := failure(t, m.options, m.model)
			kind, text, _ := strings.Cut(table[mistake], ": ")
			require.Equal(t, kind, f.Kind)
			require.NotEmpty(t, text)
			require.Contains(t, f.Text, text)
		})
		delete(table, mistake)
	}
	require.Contains(t, table, blocks)
	require.Len(t, table, 1, "nobody makes the rest")
}

// childKey turns a test into a process that may be lost, or blamed.
const childKey = "STRESS_MODELCHECK_TEST_CHILD"

// A thread that blocks is given up after the time that the page says. In the child that time is
// virtual.
func TestBlockedThreadLooksAsThePageSays(t *testing.T) {
	if os.Getenv(childKey) == "" {
		out, err := child(t)
		require.NoError(t, err, out)
		kind, text, _ := strings.Cut(mistakesOf(t)[blocks], ": ")
		require.Contains(t, out, ": "+kind+" in execution 1, ")
		require.Contains(t, out, text)
		require.Contains(t, out, "pages_model_test.go", "where it blocks")
		require.Contains(t, out, "this process can check nothing more")
		return
	}
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		for range 2 {
			_, err := modelcheck.Explore(modelcheck.Options{Name: "blocked"},
				func(m *modelcheck.Model) {
					var n atomic.Uint32
					m.Thread(func() { n.Add(1); <-open })
				})
			fmt.Println(err)
		}
		close(open)
	})
}

// If Who is too wide, the code is blamed for what nobody may do: without the race detector a value
// is popped twice, with it two calls race.
func TestWhoTooWide(t *testing.T) {
	if os.Getenv(childKey) != "" {
		s := queues("HelpingQueue", func() queue { return &HelpingQueue{NewQueue()} })
		s.Ops[1].Who = modelcheck.Anyone
		modelcheck.Programs(t, s, modelcheck.Budget{}, modelcheck.Options{})
		return
	}
	out, err := child(t)
	require.Error(t, err)
	if race.Enabled {
		require.Contains(t, out, "DATA RACE")
		require.Contains(t, out, "tutorial_model_test.go")
	} else {
		require.Contains(t, out, "HelpingQueue: linearizability")
		require.Contains(t, out, "<- no order explains what has returned")
	}
}

// child runs the calling test in a process of its own.
func child(t *testing.T) (output string, err error) {
	defaultEnvironment(t)
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), childKey+"=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
