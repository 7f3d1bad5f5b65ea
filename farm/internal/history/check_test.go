package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rules of the tests: a key is "k" and a number, its result twice that; "bad" fails.
var rules = Rules{
	Want: func(key string) (string, bool) {
		return "2" + strings.TrimPrefix(key, "k"), key != "bad"
	},
	MaxRuns: func(key string) int {
		if key == "bad" {
			return 3
		}
		return 0
	},
}

// good is right: one worker dies in a run, which another repeats; a client dies and comes again; a
// job that cannot be done runs three times and fails.
func good() []Record {
	return []Record{
		{Kind: Submit, Process: "client.1", Call: "a", Key: "k1"},
		{Kind: Submit, Process: "client.1", Call: "b", Key: "k2"},
		{Kind: Submit, Process: "client.1", Call: "c", Key: "bad"},
		{Kind: Begin, Process: "worker.1", Key: "k1", Run: 1},
		{Kind: Begin, Process: "worker.2", Key: "k2", Run: 1},
		{Kind: Killed, Process: "worker.1"},
		{Kind: End, Process: "worker.2", Key: "k2", Run: 1, Result: "22"},
		{Kind: Counted, Process: "worker.2", Key: "#2", Result: "22"},
		{Kind: Begin, Process: "worker.2", Key: "k1", Run: 2},
		{Kind: Complete, Process: "client.1", Call: "b", Key: "k2", Result: "22"},
		{Kind: Killed, Process: "client.1"},
		{Kind: End, Process: "worker.2", Key: "k1", Run: 2, Result: "21"},
		{Kind: Begin, Process: "worker.2", Key: "bad", Run: 3},
		{Kind: End, Process: "worker.2", Key: "bad", Run: 3, Result: "no", Failed: true},
		{Kind: Submit, Process: "client.2", Call: "a", Key: "k1"},
		{Kind: Submit, Process: "client.2", Call: "b", Key: "k2"},
		{Kind: Submit, Process: "client.2", Call: "c", Key: "bad"},
		{Kind: Begin, Process: "worker.2", Key: "bad", Run: 4},
		{Kind: End, Process: "worker.2", Key: "bad", Run: 4, Result: "no", Failed: true},
		{Kind: Complete, Process: "client.2", Call: "b", Key: "k2", Result: "22"},
		{Kind: Complete, Process: "client.2", Call: "a", Key: "k1", Result: "21"},
		{Kind: Begin, Process: "worker.2", Key: "bad", Run: 5},
		{Kind: End, Process: "worker.2", Key: "bad", Run: 5, Result: "no", Failed: true},
		{Kind: Complete, Process: "client.2", Call: "c", Key: "bad", Result: "no", Failed: true},
	}
}

func TestCheckGood(t *testing.T) {
	v := Check(good(), rules)
	require.Empty(t, v.Wrong)
	require.NoError(t, v.Err())
	require.Equal(t, "3 calls of 3 keys: 6 submitted, 4 completed (1 failed), 6 runs (3 repeated, "+
		"0 late, 1 cut off, 1 counted), 2 processes killed, 0 violations", v.String())
}

// TestCheckSeeded makes each mistake that a farm could make in a good history, and the checker
// says which.
func TestCheckSeeded(t *testing.T) {
	at := func(h []Record, kind Kind, process, what string) int {
		i := slices.IndexFunc(h, func(r Record) bool {
			return r.Kind == kind && r.Process == process && (r.Call == what || r.Key == what)
		})
		require.GreaterOrEqual(t, i, 0)
		return i
	}
	cut := func(h []Record, i int) []Record { return slices.Delete(h, i, i+1) }
	twice := func(h []Record, i int) []Record { return slices.Insert(h, i, h[i]) }
	for _, c := range []struct {
		name, says string
		do         func(h []Record) []Record
	}{
		{"a result is lost", "call a of client.2 is lost", func(h []Record) []Record {
			return cut(h, at(h, Complete, "client.2", "a"))
		}},
		{"a failure is lost", "call c of client.2 is lost", func(h []Record) []Record {
			return cut(h, at(h, Complete, "client.2", "c"))
		}},
		{"a client never comes again", "call a is lost with client.1", func(h []Record) []Record {
			for _, k := range []Kind{Submit, Complete} {
				h = cut(h, at(h, k, "client.2", "a"))
			}
			return h
		}},
		{"a result comes twice", "call a completes twice for client.2", func(h []Record) []Record {
			return twice(h, at(h, Complete, "client.2", "a"))
		}},
		{"a result is wrong", `yields "99", not "21"`, func(h []Record) []Record {
			h[at(h, Complete, "client.2", "a")].Result = "99"
			return h
		}},
		{"a run is wrong, though nobody has its result", `yields "99", not "21"`,
			func(h []Record) []Record {
				h[at(h, End, "worker.2", "k1")].Result = "99"
				return h
			}},
		{"a result is of another call", `yields "22", not "21"`, func(h []Record) []Record {
			h[at(h, Complete, "client.2", "a")].Result = "22"
			return h
		}},
		{"a job that cannot be done is done", "should fail", func(h []Record) []Record {
			i := at(h, Complete, "client.2", "c")
			h[i].Result, h[i].Failed = "2bad", false
			return h
		}},
		{"a job fails that can be done", "fails: gone", func(h []Record) []Record {
			i := at(h, Complete, "client.2", "a")
			h[i].Result, h[i].Failed = "gone", true
			return h
		}},
		{"a completion before its submission", "has not submitted it", func(h []Record) []Record {
			from, to := at(h, Complete, "client.2", "b"), at(h, Submit, "client.2", "b")
			r := h[from]
			return slices.Insert(cut(h, from), to, r)
		}},
		{"a completion before any run has ended", "with which no run has ended",
			func(h []Record) []Record {
				from, to := at(h, End, "worker.2", "k2"), at(h, Complete, "client.1", "b")
				r := h[from]
				return slices.Insert(cut(h, from), to, r)
			}},
		{"a completion that nobody wants", "has not submitted it", func(h []Record) []Record {
			return append(h, Record{Kind: Complete, Process: "client.2", Call: "z", Key: "k1",
				Result: "21"})
		}},
		{"a completion for another client", "has not submitted it", func(h []Record) []Record {
			h[at(h, Complete, "client.2", "a")].Process = "client.3"
			return h
		}},
		{"a run of what nobody submitted", "which nobody has submitted", func(h []Record) []Record {
			return append(h, Record{Kind: Begin, Process: "worker.2", Key: "k9", Run: 9},
				Record{Kind: End, Process: "worker.2", Key: "k9", Run: 9, Result: "29"})
		}},
		{"a run before its submission", "which nobody has submitted", func(h []Record) []Record {
			r := h[3]
			return slices.Insert(cut(h, 3), 0, r)
		}},
		{"a poison job runs too often", "at most 3", func(h []Record) []Record {
			return append(h, Record{Kind: Begin, Process: "worker.2", Key: "bad", Run: 9},
				Record{Kind: End, Process: "worker.2", Key: "bad", Run: 9, Failed: true})
		}},
		{"a run begins twice", "begins twice", func(h []Record) []Record {
			return twice(h, at(h, Begin, "worker.2", "k1"))
		}},
		{"a run ends twice", "ends twice", func(h []Record) []Record {
			return twice(h, at(h, End, "worker.2", "k1"))
		}},
		{"a run ends that has not begun", "has not begun", func(h []Record) []Record {
			return cut(h, at(h, Begin, "worker.2", "k1"))
		}},
		{"a run ends as another", "began as k1 and ends as k2", func(h []Record) []Record {
			i := at(h, End, "worker.2", "k1")
			h[i].Key, h[i].Result = "k2", "22"
			return h
		}},
		{"a run never ends", "never ends", func(h []Record) []Record {
			return cut(h, at(h, Killed, "worker.1", ""))
		}},
		{"a result counts twice", "counts again", func(h []Record) []Record {
			return twice(h, at(h, Counted, "worker.2", "#2"))
		}},
		{"a result counts that there is not", "no run has ended", func(h []Record) []Record {
			h[at(h, Counted, "worker.2", "#2")].Result = "21"
			return h
		}},
		{"a call changes what it is", "is submitted as k7, and was k1", func(h []Record) []Record {
			h[at(h, Submit, "client.2", "a")].Key = "k7"
			return h
		}},
		{"a call completes as another", "completes as k2", func(h []Record) []Record {
			i := at(h, Complete, "client.2", "a")
			h[i].Key, h[i].Result = "k2", "22"
			return h
		}},
		{"a call is submitted twice in a life", "is submitted again", func(h []Record) []Record {
			return twice(h, at(h, Submit, "client.2", "a"))
		}},
		{"a dead process writes", "which is dead", func(h []Record) []Record {
			return append(h, Record{Kind: Submit, Process: "client.1", Call: "d", Key: "k1"})
		}},
		{"a record of no kind", "no known kind", func(h []Record) []Record {
			return append(h, Record{Kind: "x", Process: "client.2"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Check(c.do(good()), rules)
			require.Error(t, v.Err())
			require.Contains(t, strings.Join(v.Wrong, "\n"), c.says)
		})
	}
	t.Run("more lines are torn than processes were killed", func(t *testing.T) {
		torn := rules
		torn.Torn = 2
		require.NoError(t, Check(good(), torn).Err())
		torn.Torn = 3
		require.ErrorContains(t, Check(good(), torn).Err(), "3 lines are unfinished")
	})
	t.Run("a run fails that may", func(t *testing.T) {
		h := append(good(), Record{Kind: Begin, Process: "worker.2", Key: "k1", Run: 9},
			Record{Kind: End, Process: "worker.2", Key: "k1", Run: 9, Failed: true})
		require.ErrorContains(t, Check(h, rules).Err(), "the run of k1 by worker.2 fails")
		may := rules
		may.MayFail = func(end Record) bool { return end.Key == "k1" }
		require.NoError(t, Check(h, may).Err())
	})
	t.Run("a hundred are said", func(t *testing.T) {
		v := Check(slices.Repeat([]Record{{Kind: "x", Process: "p"}}, 250), rules)
		require.Len(t, v.Wrong, 100)
		require.ErrorContains(t, v.Err(), "250 violations")
	})
}

// TestCheckRandom simulates a farm that is right and has workers and clients die at random. Each
// history is good; and each that has lost, doubled or changed one completion is not.
func TestCheckRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := simulate(t)
		require.NoError(t, Check(h, rules).Err())
		var done []int
		for i, r := range h {
			if r.Kind == Complete {
				done = append(done, i)
			}
		}
		i := rapid.SampledFrom(done).Draw(t, "which")
		changed := slices.Clone(h)
		switch rapid.IntRange(0, 2).Draw(t, "mistake") {
		case 0:
			// Who is killed later need not have had it.
			if slices.ContainsFunc(h[i:], func(r Record) bool {
				return r.Kind == Killed && r.Process == h[i].Process
			}) {
				return
			}
			changed = slices.Delete(changed, i, i+1)
		case 1:
			changed = slices.Insert(changed, i, changed[i])
		default:
			changed[i].Result += "0"
		}
		require.Error(t, Check(changed, rules).Err())
	})
}

// simulate draws a history of a farm that makes no mistake.
func simulate(t *rapid.T) (h []Record) {
	var (
		calls     = rapid.IntRange(1, 12).Draw(t, "calls")
		keys      = rapid.IntRange(1, 12).Draw(t, "keys")
		client    = 1
		worker    = 1
		runs      int64
		running   = map[int64]string{} // runs of the living worker
		results   = map[string]bool{}
		open      = map[int]bool{} // calls that the living client waits for
		name      = func(of string, n int) string { return fmt.Sprintf("%s.%d", of, n) }
		keyOf     = func(call int) string { return fmt.Sprint("k", call%keys) }
		want      = func(key string) string { w, _ := rules.Want(key); return w }
		submit    = func(call int) { open[call] = true }
		submitAll = func() {
			for c := range calls {
				submit(c)
				h = append(h, Record{Kind: Submit, Process: name("client", client),
					Call: fmt.Sprint(c), Key: keyOf(c)})
			}
		}
	)
	submitAll()
	for kills := 0; len(open) > 0; {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		c := pick(calls)
		key := keyOf(c)
		switch at := rapid.IntRange(0, 9).Draw(t, "step"); {
		case at < 1 && kills < 4:
			kills++
			h = append(h, Record{Kind: Killed, Process: name("worker", worker)})
			worker++
			clear(running)
		case at < 2 && kills < 4:
			kills++
			h = append(h, Record{Kind: Killed, Process: name("client", client)})
			client++
			clear(open)
			submitAll()
		case at < 6:
			runs++
			running[runs] = key
			h = append(h, Record{Kind: Begin, Process: name("worker", worker), Key: key, Run: runs})
			if at == 5 {
				continue
			}
			delete(running, runs)
			results[key] = true
			h = append(h, Record{Kind: End, Process: name("worker", worker), Key: key, Run: runs,
				Result: want(key)})
		case open[c] && results[key]:
			delete(open, c)
			h = append(h, Record{Kind: Complete, Process: name("client", client),
				Call: fmt.Sprint(c), Key: key, Result: want(key)})
		}
	}
	return append(h, Record{Kind: Killed, Process: name("worker", worker)})
}
