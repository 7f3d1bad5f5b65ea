package export_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
)

// An event of the trace event format, with every member that may occur.
type jsonEvent struct {
	Phase    string                     `json:"ph"`
	PID      *int                       `json:"pid"`
	TID      *int                       `json:"tid"`
	Time     *json.Number               `json:"ts"`
	Name     *string                    `json:"name"`
	Category *string                    `json:"cat"`
	Scope    *string                    `json:"s"`
	Binding  *string                    `json:"bp"`
	ID       *uint64                    `json:"id"`
	Args     map[string]json.RawMessage `json:"args"`
}

type jsonTrace struct {
	Unit   string      `json:"displayTimeUnit"`
	Events []jsonEvent `json:"traceEvents"`
}

// A jsonSlice is one that a reader has found.
type jsonSlice struct {
	tid, depth int
	name       string
	from, to   float64
}

type jsonFlow struct {
	from, to      string // the names of the slices
	start, finish float64
	ends          int
}

type jsonRead struct {
	slices   []jsonSlice
	threads  map[int]string
	flows    map[uint64]*jsonFlow
	instants []string
	counters map[string][]string
}

// members says of each phase which members it must have, and may have.
var members = map[string]struct{ must, may []string }{
	"B": {[]string{"pid", "tid", "ts", "name", "cat"}, []string{"args"}},
	"E": {[]string{"pid", "tid", "ts"}, []string{"args"}},
	"i": {[]string{"pid", "tid", "ts", "name", "cat", "s"}, []string{"args"}},
	"s": {[]string{"pid", "tid", "ts", "name", "cat", "id"}, nil},
	"f": {[]string{"pid", "tid", "ts", "name", "cat", "id", "bp"}, nil},
	"C": {[]string{"pid", "tid", "ts", "name", "args"}, nil},
	"M": {[]string{"pid", "tid", "name", "args"}, nil},
}

// readJSON reads a trace as the format is documented, and fails for anything else: an unknown
// member, one that the phase does not have, a slice that does not end, one that overlaps, a time
// that goes back, a flow that is not in a slice, or not from earlier to later.
func readJSON(t require.TestingT, data []byte) *jsonRead {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	d.UseNumber()
	var all jsonTrace
	require.NoError(t, d.Decode(&all))
	_, err := d.Token()
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "ns", all.Unit)
	r := &jsonRead{threads: map[int]string{}, flows: map[uint64]*jsonFlow{},
		counters: map[string][]string{}}
	open := map[int][]int{}
	last := map[int]float64{}
	for i := range all.Events {
		e := &all.Events[i]
		e.checkMembers(t)
		at := 0.0
		if e.Time != nil {
			at, err = e.Time.Float64()
			check(t, err == nil, "time %s", e.Time)
			if e.Phase != "C" {
				check(t, at >= last[*e.TID], "time goes back")
				last[*e.TID] = at
			}
		}
		stack := open[*e.TID]
		switch e.Phase {
		case "B":
			open[*e.TID] = append(stack, len(r.slices))
			r.slices = append(r.slices, jsonSlice{*e.TID, len(stack), *e.Name, at, -1})
		case "E":
			check(t, len(stack) > 0, "an end without a beginning")
			r.slices[stack[len(stack)-1]].to = at
			open[*e.TID] = stack[:len(stack)-1]
		case "i":
			require.Equal(t, "t", *e.Scope)
			r.instants = append(r.instants, *e.Name)
		case "s", "f":
			check(t, len(stack) > 0, "a flow outside of slices")
			flow := r.flows[*e.ID]
			if flow == nil {
				flow = &jsonFlow{}
				r.flows[*e.ID] = flow
			}
			name := r.slices[stack[len(stack)-1]].name
			flow.ends++
			if e.Phase == "s" {
				check(t, flow.from == "", "a flow that begins twice")
				flow.from, flow.start = name, at
			} else {
				check(t, *e.Binding == "e", "binding %s", *e.Binding)
				check(t, flow.to == "", "a flow that ends twice")
				flow.to, flow.finish = name, at
			}
		case "C":
			r.counters[*e.Name] = append(r.counters[*e.Name],
				e.Time.String()+"="+string(e.Args["count"]))
		case "M":
			if *e.Name == "thread_name" {
				var name string
				require.NoError(t, json.Unmarshal(e.Args["name"], &name))
				require.NotContains(t, r.threads, *e.TID)
				r.threads[*e.TID] = name
			}
		}
	}
	for tid, stack := range open {
		require.Empty(t, stack, "thread %d", tid)
	}
	for id, flow := range r.flows {
		check(t, flow.ends == 2, "flow %d", id)
		check(t, flow.start <= flow.finish, "flow %d", id)
	}
	for _, s := range r.slices {
		_, known := r.threads[s.tid]
		check(t, known, "slice %s on no thread", s.name)
	}
	return r
}

func (e *jsonEvent) checkMembers(t require.TestingT) {
	m, known := members[e.Phase]
	check(t, known, "phase %q", e.Phase)
	for _, member := range []struct {
		name  string
		there bool
	}{{"pid", e.PID != nil}, {"tid", e.TID != nil}, {"ts", e.Time != nil}, {"name", e.Name != nil},
		{"cat", e.Category != nil}, {"s", e.Scope != nil}, {"bp", e.Binding != nil},
		{"id", e.ID != nil}, {"args", e.Args != nil}} {
		switch {
		case slices.Contains(m.must, member.name):
			check(t, member.there, "phase %s without %s", e.Phase, member.name)
		case !slices.Contains(m.may, member.name):
			check(t, !member.there, "phase %s with %s", e.Phase, member.name)
		}
	}
}

func TestJSONIsAsDocumented(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnSnapshot(t)
		r := readJSON(t, written(t, "JSON", s))
		require.GreaterOrEqual(t, len(r.threads), len(s.Lanes))
	})
}

// frame is two tasks on two workers, of which one launches the other and waits for it, and one that
// comes after both.
func frame() *trace.Snapshot {
	p := made.Program{Tasks: []made.Task{
		{Name: "update", Graph: "frame", Run: 4, Rounds: made.Steps(made.Work(1000), made.Launch(1),
			made.Work(2000), made.Wait(1), made.Loop(3000, 2000))},
		{Name: "physics", Rounds: made.Steps(made.Work(4500))},
		{Name: "draw", Graph: "frame", After: []int{0}, Rounds: made.Steps(made.Work(1500))},
		{Name: "frame"},
	}}
	return made.Run(&p, 2)
}

func TestJSONOfAFrame(t *testing.T) {
	s := frame()
	r := readJSON(t, written(t, "JSON", s))
	require.Equal(t, map[int]string{1: "worker 0", 2: "worker 1", 3: "outside"}, r.threads)
	require.Contains(t, r.slices, jsonSlice{1, 0, "update", 0, 8.5})
	require.Contains(t, r.slices, jsonSlice{1, 1, "wait for physics", 3, 5.5})
	require.Contains(t, r.slices, jsonSlice{2, 0, "physics", 1, 5.5})
	require.Contains(t, r.slices, jsonSlice{1, 1, "range of update", 5.5, 8.5})
	var flows []string
	for _, flow := range r.flows {
		flows = append(flows, flow.from+" > "+flow.to)
	}
	slices.Sort(flows)
	require.Equal(t, []string{"launch draw > draw", "launch physics > physics",
		"launch update > update", "update > draw"}, flows)
	require.Equal(t, []string{"0.000=1", "1.000=2", "7.500=1"}, r.counters["awake workers"][:3])
}

func TestJSONOfNothingAndOfMany(t *testing.T) {
	r := readJSON(t, written(t, "JSON", &trace.Snapshot{}))
	require.Empty(t, r.slices)
	tasks := short.Scaled(100_000)
	r = readJSON(t, written(t, "JSON", many(tasks)))
	require.Len(t, r.slices, tasks)
	require.Len(t, r.flows, tasks-1)
}
