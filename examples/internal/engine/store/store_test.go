package store_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/examples/internal/engine/store"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// text parses a file as what it says, of as many bytes as it has. A file that begins with "cut"
// ends too early, one that begins with "bad" is damaged, and of "panic" the parser knows nothing.
func text(name string, read store.Reader) (string, int64, error) {
	b, err := read(name)
	if err != nil {
		return "", 0, err
	}
	switch {
	case strings.HasPrefix(string(b), "cut"):
		return "", 0, fmt.Errorf("three of nine words: %w", io.ErrUnexpectedEOF)
	case strings.HasPrefix(string(b), "bad"):
		return "", 0, errors.New("no such\nword")
	case strings.HasPrefix(string(b), "panic"):
		panic("what is this")
	}
	return string(b), int64(len(b)), nil
}

// all serves until the owner has stalled.
func all[T any](s *store.Store[T]) {
	for s.Serve() {
	}
}

func files(texts map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range texts {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// A model is a table as one would write it without thinking of time: each call at once, each list
// gone through from its beginning.
type model struct {
	files    map[string]string
	budget   int
	requests []plain
	there    map[string]bool
	faults   map[string]bool
	left     []string // values that nobody has, the one that was left first first
	read     []string
	dropped  int
}

type plain struct {
	state string // "", "waiting" or "held"
	round uint32
	near  float32
	name  string
}

func (m *model) kept() (sum int) {
	for name := range m.there {
		sum += len(m.files[name])
	}
	return sum
}

func (m *model) shrink() {
	for m.kept() > m.budget && len(m.left) > 0 {
		delete(m.there, m.left[0])
		m.left = m.left[1:]
		m.dropped++
	}
}

func (m *model) users(name string) (n int) {
	for _, r := range m.requests {
		if r.state == "held" && r.name == name {
			n++
		}
	}
	return n
}

func (m *model) hold(i int) {
	m.requests[i].state = "held"
	m.left = slices.DeleteFunc(m.left, func(n string) bool { return n == m.requests[i].name })
}

func (m *model) drop(i int) {
	r := &m.requests[i]
	held := r.state == "held"
	r.state = ""
	if held && m.there[r.name] && m.users(r.name) == 0 {
		m.left = append(m.left, r.name)
		m.shrink()
	}
}

// serve reads the most urgent file and returns who is answered by that.
func (m *model) serve() (answered []int) {
	next := -1
	for i, r := range m.requests {
		if r.state == "waiting" && (next < 0 || r.near < m.requests[next].near) {
			next = i
		}
	}
	if next < 0 {
		return nil
	}
	name := m.requests[next].name
	m.read = append(m.read, name)
	if _, ok := m.files[name]; ok {
		m.there[name] = true
	} else {
		m.faults[name] = true
	}
	for i := range m.requests {
		if r := &m.requests[i]; r.state == "waiting" && r.name == name {
			m.hold(i)
			answered = append(answered, i)
		}
	}
	m.shrink()
	return answered
}

// What the store reads in which order, whom it answers, what it keeps and drops, is what the model
// says, whatever is asked, ranked, given back and served.
func TestStoreIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const requests = 6
		names := []string{"a", "b", "c", "d", "none"}
		content := map[string]string{"a": "1", "b": "22", "c": "333", "d": "4444"}
		m := &model{
			files: content, requests: make([]plain, requests), there: map[string]bool{},
			faults: map[string]bool{},
			budget: rapid.IntRange(0, 8).Draw(t, "budget"),
		}
		var read []string
		s := store.New(store.Options[string]{
			Files: files(content), Requests: requests, Budget: int64(m.budget),
			Parse: func(name string, open store.Reader) (string, int64, error) {
				read = append(read, name)
				return text(name, open)
			},
		})
		stalled := true
		pushed := func(wake bool) {
			require.Equal(t, stalled, wake, "the first push after a stall wakes, and no other")
			stalled = false
		}
		want := map[int]bool{}
		which := rapid.IntRange(0, requests-1)
		near := rapid.Float32Range(0, 9)
		// What was said is taken in by the next Serve: so is the model's.
		var later []func()
		takeIn := func() {
			for _, f := range later {
				f()
			}
			later = nil
		}
		states := make([]string, requests) // as who asks sees them: asked or not
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				i := which.Draw(t, "request")
				if states[i] != "" {
					t.Skip("asked already")
				}
				states[i] = "asked"
				m.requests[i].round++
				name, d, round := rapid.SampledFrom(names).Draw(t, "name"), near.Draw(t,
					"near"), m.requests[i].round
				pushed(s.Ask(uint32(i), round, name, d))
				later = append(later, func() {
					m.requests[i] = plain{"waiting", round, d, name}
					if m.there[name] || m.faults[name] {
						m.hold(i)
						want[i] = true
					}
				})
			},
			"rank": func(t *rapid.T) {
				i, d := which.Draw(t, "request"), near.Draw(t, "near")
				pushed(s.Rank(uint32(i), d))
				later = append(later, func() { m.requests[i].near = d })
			},
			"drop": func(t *rapid.T) {
				i := which.Draw(t, "request")
				if states[i] == "" {
					t.Skip("not asked")
				}
				states[i] = ""
				pushed(s.Drop(uint32(i)))
				later = append(later, func() {
					delete(want, i)
					m.drop(i)
				})
			},
			"serve": func(t *rapid.T) {
				takeIn()
				before := len(m.read)
				for _, i := range m.serve() {
					want[i] = true
				}
				require.Equal(t, len(m.read) == before, !s.Serve(),
					"it stalls when there is nothing to do")
				stalled = len(m.read) == before
			},
			"": func(t *rapid.T) {
				require.Equal(t, m.read, read)
				stats := s.Stats()
				if len(later) > 0 {
					return
				}
				require.EqualValues(t, m.kept(), stats.Kept)
				require.Equal(t, m.dropped, stats.Dropped)
				held := 0
				for name := range m.there {
					if m.users(name) > 0 {
						held += len(content[name])
					}
				}
				require.LessOrEqual(t, stats.Kept, int64(max(held, m.budget)))
				for i, r := range m.requests {
					require.Equal(t, r.state == "held", s.Served(uint32(i), r.round), "request %d",
						i)
				}
				for _, a := range s.Answers(nil) {
					if r := m.requests[a.Request]; r.round == a.Round && want[int(a.Request)] {
						require.Equal(t, content[r.name], a.Value)
						require.Equal(t, r.name == "none", a.Fault != nil)
						delete(want, int(a.Request))
					}
				}
				require.Empty(t, want, "who has not been answered")
			},
		})
	})
}

// Many threads ask for few files at once, give them back and ask again, while the loader thread
// reads: each file is parsed once, and each asking answered once. A thread is told to wake the
// loader as often as that has stalled.
func TestEachFileIsParsedOnce(t *testing.T) {
	const threads, each, kinds = 8, 40, 5
	rounds := uint32(50)
	if testing.Short() {
		rounds = 10
	}
	content := map[string]string{}
	for i := range kinds {
		content[fmt.Sprint("file ", i)] = strings.Repeat("x", i+1)
	}
	parsed := map[string]int{} // on the loader thread alone
	s := store.New(store.Options[string]{
		Files: files(content), Requests: threads * each, Budget: 1 << 20,
		Parse: func(name string, read store.Reader) (string, int64, error) {
			parsed[name]++
			return text(name, read)
		},
	})
	registry := namedthread.NewRegistry()
	loader, err := registry.Start("Loader", namedthread.Options{})
	require.NoError(t, err)
	serve := namedthread.Func(func() { all(s) })
	wake := func(wake bool) {
		if wake {
			require.NoError(t, loader.Post(namedthread.QueueMain, namedthread.PriorityNormal, serve,
				0))
		}
	}
	for round := uint32(1); round <= rounds; round++ {
		done := make(chan bool)
		for th := range threads {
			go func() {
				defer func() { done <- true }()
				for k := range each {
					i := uint32(th*each + k)
					wake(s.Ask(i, round, fmt.Sprint("file ", (th+k)%kinds), float32(k)))
					if k%3 == 0 {
						wake(s.Rank(i, -1))
					}
				}
			}()
		}
		for range threads {
			<-done
		}
		got := map[uint32]string{}
		for len(got) < threads*each {
			for _, a := range s.Answers(nil) {
				require.Equal(t, round, a.Round)
				require.Nil(t, a.Fault)
				require.Empty(t, got[a.Request], "answered twice")
				got[a.Request] = a.Value
			}
			runtime.Gosched()
		}
		for i, value := range got {
			require.Equal(t, content[fmt.Sprint("file ", (int(i)/each+int(i)%each)%kinds)], value)
			wake(s.Drop(i))
		}
	}
	loader.Quit()
	<-loader.Done()
	all(s)
	require.Len(t, parsed, kinds)
	for name, n := range parsed {
		require.Equal(t, 1, n, name)
	}
	require.Equal(t, kinds, s.Stats().Read)
	require.Equal(t, threads*each*int(rounds), s.Stats().Asked)
	require.Empty(t, s.Answers(nil))
}

// one asks for a file and returns the answer.
func one(t *testing.T, s *store.Store[string], request, round uint32,
	name string) store.Answer[string] {
	t.Helper()
	s.Ask(request, round, name, 0)
	all(s)
	answers := s.Answers(nil)
	require.Len(t, answers, 1)
	require.Equal(t, round, answers[0].Round)
	return answers[0]
}

// Nobody is nearer than who is waited for, and who has turned away is not served.
func TestUrgencyAndCancelling(t *testing.T) {
	var read []string
	s := store.New(store.Options[string]{
		Files:    files(map[string]string{"far": "1", "near": "2", "nearest": "3", "gone": "4"}),
		Requests: 4, Budget: 9,
		Parse: func(name string, open store.Reader) (string, int64, error) {
			read = append(read, name)
			return text(name, open)
		},
	})
	require.True(t, s.Ask(0, 1, "far", 30))
	require.False(t, s.Ask(1, 1, "gone", 1), "the owner is awake by now")
	s.Ask(2, 1, "near", 20)
	s.Ask(3, 1, "nearest", 40)
	s.Rank(3, 10)
	s.Drop(1)
	all(s)
	require.Equal(t, []string{"nearest", "near", "far"}, read)
	require.Equal(t, 1, s.Stats().Cancelled)
	require.True(t, s.Drop(0))
	require.False(t, s.Drop(2))
}

// What nobody has goes when there is no room, who was left first first; what somebody has stays.
func TestBudget(t *testing.T) {
	content := map[string]string{"a": "aaaa", "b": "bbbb", "c": "cccc", "d": "dddd"}
	s := store.New(store.Options[string]{Files: files(content), Parse: text, Requests: 4,
		Budget: 8})
	for i, name := range []string{"a", "b", "c"} {
		one(t, s, uint32(i), 1, name)
	}
	require.EqualValues(t, 12, s.Stats().Kept, "all are in use")
	s.Drop(1)
	s.Drop(0)
	all(s)
	require.EqualValues(t, 8, s.Stats().Kept, "b was left first, and has gone")
	one(t, s, 0, 2, "a")
	require.Equal(t, 3, s.Stats().Read, "a was there")
	one(t, s, 1, 2, "b")
	require.Equal(t, 4, s.Stats().Read)
	require.EqualValues(t, 12, s.Stats().Most)
	for i := range uint32(3) {
		s.Drop(i)
	}
	all(s)
	require.EqualValues(t, 8, s.Stats().Kept)
}

// Each kind of fault, with files as the system has them. A fault is told in one line that begins
// with the name, and the file is not looked at again.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("cut", "cut off")
	write("bad", "bad\nwords")
	write("panic", "panic")
	write("large", strings.Repeat("x", 101))
	write("empty", "")
	write("good", "good")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("outside"), 0o600))
	links := os.Symlink(outside, filepath.Join(dir, "link")) == nil
	locked := runtime.GOOS != "windows" && os.Getuid() != 0
	if locked {
		write("locked", "locked")
		require.NoError(t, os.Chmod(filepath.Join(dir, "locked"), 0))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	s := store.New(store.Options[string]{Files: root.FS(), Parse: text, Requests: 1,
		Budget: 1 << 10, Limit: 100})
	round := uint32(0)
	for _, test := range []struct {
		name string
		kind store.Kind
		line string
		ok   bool
	}{
		{"none", store.Missing, "none: missing: ", true},
		{"cut", store.Truncated, "cut: truncated: three of nine words: unexpected EOF", true},
		{"bad", store.Damaged, "bad: damaged: no such word", true},
		{"panic", store.Damaged, "panic: damaged: the parser panics: what is this", true},
		{"large", store.Unreadable, "large: unreadable: 101 bytes are more than 100", true},
		{"folder", store.Unreadable, "folder: unreadable: it is a folder", true},
		{"link", store.Unreadable, "link: unreadable: ", links},
		{"locked", store.Unreadable, "locked: unreadable: ", locked},
	} {
		if !test.ok {
			t.Logf("%s: not here", test.name)
			continue
		}
		for range 2 {
			round++
			a := one(t, s, 0, round, test.name)
			require.NotNil(t, a.Fault, test.name)
			require.Empty(t, a.Value)
			require.Equal(t, test.kind, a.Fault.Kind, "%s: %v", test.name, a.Fault)
			require.True(t, strings.HasPrefix(a.Fault.Error(), test.line), "%v", a.Fault)
			require.NotContains(t, a.Fault.Error(), "\n")
			require.NotContains(t, a.Fault.Error(), dir)
			s.Drop(0)
			all(s)
		}
		require.Equal(t, int(round)/2, s.Stats().Read, "it is not read again")
	}
	require.Equal(t, "good", one(t, s, 0, 99, "good").Value)
	s.Drop(0)
	require.Nil(t, one(t, s, 0, 100, "empty").Fault)
	sums, faults := s.Sums()
	require.Len(t, sums, 2)
	require.Len(t, faults, int(round)/2)
}

// busy is a folder whose files are written to between two calls of whoever reads them.
type busy struct {
	fstest.MapFS
	write func(f *fstest.MapFile)
}

type busyFile struct {
	fs.File
	of    *busy
	file  *fstest.MapFile
	reads int
}

func (b *busy) Open(name string) (fs.File, error) {
	f, err := b.MapFS.Open(name)
	return &busyFile{f, b, b.MapFS[name], 0}, err
}

// Read writes when the first bytes have been read.
func (f *busyFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p[:min(len(p), 2)])
	if f.reads++; f.reads == 1 {
		f.of.write(f.file)
	}
	return n, err
}

// A file that grows, shrinks or gets another content while it is read has changed; so has one that
// is another one when it is read again.
func TestChangingFiles(t *testing.T) {
	when := time.Unix(1e9, 0)
	for name, write := range map[string]func(f *fstest.MapFile){
		"grows":   func(f *fstest.MapFile) { f.Data = append(slices.Clone(f.Data), '!') },
		"shrinks": func(f *fstest.MapFile) { f.Data = f.Data[:3] },
		"other":   func(f *fstest.MapFile) { f.Data, f.ModTime = []byte("others"), when.Add(1) },
	} {
		b := &busy{fstest.MapFS{"file": {Data: []byte("before"), ModTime: when}}, write}
		s := store.New(store.Options[string]{Files: b, Parse: text, Requests: 1})
		a := one(t, s, 0, 1, "file")
		require.NotNil(t, a.Fault, name)
		require.Equal(t, store.Changed, a.Fault.Kind, "%s: %v", name, a.Fault)
		require.Equal(t, "file: changed: it was written to while it was read", a.Fault.Error())
	}

	m := files(map[string]string{"file": "before"})
	s := store.New(store.Options[string]{Files: m, Parse: text, Requests: 1})
	for round := uint32(1); round < 4; round++ { // there is no room to keep it
		require.Equal(t, "before", one(t, s, 0, round, "file").Value)
		s.Drop(0)
		all(s)
		require.EqualValues(t, round, s.Stats().Read)
	}
	m["file"] = &fstest.MapFile{Data: []byte("after!")}
	a := one(t, s, 0, 4, "file")
	require.NotNil(t, a.Fault)
	require.Equal(t, store.Changed, a.Fault.Kind)
	require.Equal(t, "file: changed: it is not what it was when it was read before",
		a.Fault.Error())
}

// A value of two files: what is wrong with the second one is told by its own name.
func TestValueOfSeveralFiles(t *testing.T) {
	m := files(map[string]string{"one": "two", "two": strings.Repeat("long ", 40), "lost": "none"})
	s := store.New(store.Options[string]{
		Files: m, Requests: 1, Budget: 1 << 10,
		Parse: func(name string, read store.Reader) (string, int64, error) {
			first, err := read(name)
			if err != nil {
				return "", 0, err
			}
			second, err := read(string(first))
			if err != nil {
				return "", 0, fmt.Errorf("what it names: %w", err)
			}
			return string(first) + ": " + string(second), 1, nil
		},
	})
	require.Equal(t, "two: "+strings.Repeat("long ", 40), one(t, s, 0, 1, "one").Value)
	s.Drop(0)
	a := one(t, s, 0, 2, "lost")
	require.NotNil(t, a.Fault)
	require.Equal(t, store.Missing, a.Fault.Kind)
	require.Equal(t, "lost: missing: none: file does not exist", a.Fault.Error())
	require.ErrorIs(t, a.Fault, fs.ErrNotExist)
	require.EqualValues(t, len("two")+200+len("none"), s.Stats().Bytes)
}

// Asking twice, or giving back what was not asked for, is told at once.
func TestMisuse(t *testing.T) {
	s := store.New(store.Options[string]{Files: files(nil), Parse: text, Requests: 1})
	s.Ask(0, 1, "a", 0)
	s.Ask(0, 2, "b", 0)
	require.PanicsWithValue(t, "store: request 0 is asked again, for b", func() { s.Serve() })
	s = store.New(store.Options[string]{Files: files(nil), Parse: text, Requests: 1})
	s.Drop(0)
	require.PanicsWithValue(t, "store: request 0 is given back twice", func() { s.Serve() })
}
