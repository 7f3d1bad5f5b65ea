package reader

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bufbuild/protocompile"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
)

// traceType compiles the protocol.
func traceType(t *testing.T) protoreflect.MessageDescriptor {
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{
		ImportPaths: []string{"testdata"}}}
	files, err := c.Compile(context.Background(), "perfetto.proto")
	require.NoError(t, err)
	return files[0].Messages().ByName("Trace")
}

// A msg is a message, with its fields by name.
type msg struct{ protoreflect.Message }

func (m msg) has(name string) bool { return m.Has(m.field(name)) }

func (m msg) field(name string) protoreflect.FieldDescriptor {
	f := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	if f == nil {
		panic("no field " + name)
	}
	return f
}

func (m msg) get(name string) protoreflect.Value { return m.Get(m.field(name)) }
func (m msg) uint(name string) uint64            { return m.get(name).Uint() }
func (m msg) string(name string) string          { return m.get(name).String() }
func (m msg) msg(name string) msg                { return msg{m.get(name).Message()} }

func (m msg) list(name string) (all []protoreflect.Value) {
	l := m.get(name).List()
	for i := range l.Len() {
		all = append(all, l.Get(i))
	}
	return all
}

type slice struct {
	lane, name string
	depth      int
	from, to   uint64
	args       string
}

type flow struct {
	from, to string
	start    uint64
	ends     int
}

type read struct {
	lanes    []string
	slices   []slice
	instants []string
	flows    map[uint64]*flow
	counters map[string][]uint64

	names, categories map[uint64]string
	tracks            map[uint64]string
	counterTracks     map[uint64]string
	open              map[uint64][]int
	last              map[uint64]uint64
}

// parse reads a trace strictly: no field is unknown, tracks and names are defined before they are
// used, slices are balanced, and flows lead from earlier to later.
func parse(t require.TestingT, kind protoreflect.MessageDescriptor, data []byte) *read {
	whole := dynamicpb.NewMessage(kind)
	require.NoError(t, proto.Unmarshal(data, whole))
	r := &read{flows: map[uint64]*flow{}, counters: map[string][]uint64{},
		names: map[uint64]string{}, categories: map[uint64]string{}, tracks: map[uint64]string{},
		counterTracks: map[uint64]string{}, open: map[uint64][]int{}, last: map[uint64]uint64{}}
	for i, p := range (msg{whole}).list("packet") {
		packet := msg{p.Message()}
		allKnown(t, packet)
		check(t, packet.uint("trusted_packet_sequence_id") != 0, "no sequence")
		flags := uint64(2)
		if i == 0 {
			flags = 3
		}
		check(t, packet.uint("sequence_flags") == flags, "flags of packet %d", i)
		if packet.has("interned_data") {
			r.intern(t, packet.msg("interned_data"))
		}
		switch {
		case packet.has("track_descriptor"):
			r.track(t, i, packet.msg("track_descriptor"))
		case packet.has("track_event"):
			check(t, packet.has("timestamp"), "an event without a time")
			r.event(t, packet.uint("timestamp"), packet.msg("track_event"))
		default:
			require.Fail(t, "a packet without anything")
		}
	}
	for track, stack := range r.open {
		require.Empty(t, stack, "track %d", track)
	}
	for id, f := range r.flows {
		check(t, f.ends == 1 && f.from != "", "flow %d has no end or no beginning", id)
	}
	return r
}

func check(t require.TestingT, holds bool, format string, args ...any) {
	if !holds {
		require.Failf(t, "not as it should be", format, args...)
	}
}

func allKnown(t require.TestingT, m msg) {
	check(t, len(m.GetUnknown()) == 0, "unknown fields in %s: %x", m.Descriptor().Name(),
		m.GetUnknown())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() == protoreflect.StringKind && !f.IsList():
			check(t, utf8.ValidString(v.String()), "a string that is no text: %q", v.String())
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := range v.List().Len() {
				allKnown(t, msg{v.List().Get(i).Message()})
			}
		default:
			allKnown(t, msg{v.Message()})
		}
		return true
	})
}

func (r *read) intern(t require.TestingT, data msg) {
	for field, known := range map[string]map[uint64]string{"event_names": r.names,
		"event_categories": r.categories} {
		for _, e := range data.list(field) {
			entry := msg{e.Message()}
			id := entry.uint("iid")
			_, twice := known[id]
			check(t, id != 0 && !twice, "%s %d is 0 or was given before", field, id)
			known[id] = entry.string("name")
		}
	}
}

func (r *read) track(t require.TestingT, packet int, track msg) {
	id := track.uint("uuid")
	_, thread := r.tracks[id]
	_, counter := r.counterTracks[id]
	check(t, id != 0 && !thread && !counter, "track %d is 0 or was given before", id)
	switch {
	case track.has("process"):
		check(t, packet == 0 && track.msg("process").get("pid").Int() > 0, "the process")
		r.tracks[id] = "process"
		return
	case track.has("thread"):
		thread := track.msg("thread")
		check(t, thread.get("pid").Int() > 0 && thread.get("tid").Int() > 1, "a thread")
		r.tracks[id] = thread.string("thread_name")
		r.lanes = append(r.lanes, r.tracks[id])
	case track.has("counter"):
		r.counterTracks[id] = track.string("name")
	default:
		require.Fail(t, "a track of nothing")
	}
	check(t, r.tracks[track.uint("parent_uuid")] == "process", "the parent of track %d", id)
}

// Types of events.
const (
	sliceBegin = 1 + iota
	sliceEnd
	instant
	counter
)

func (r *read) event(t require.TestingT, at uint64, e msg) {
	track := e.uint("track_uuid")
	kind := e.get("type").Enum()
	if kind == counter {
		name, known := r.counterTracks[track]
		check(t, known && e.has("counter_value"), "a counter without a track or a value")
		r.counters[name] = append(r.counters[name], at, uint64(e.get("counter_value").Int()))
		return
	}
	lane, known := r.tracks[track]
	check(t, known, "an event on track %d, which there is not", track)
	check(t, at >= r.last[track], "time goes back on %s", lane)
	r.last[track] = at
	name, known := r.names[e.uint("name_iid")]
	check(t, known == (kind != sliceEnd), "a name that is not defined")
	for _, c := range e.list("category_iids") {
		_, known := r.categories[c.Uint()]
		check(t, known, "a category that is not defined")
	}
	for _, id := range e.list("flow_ids") {
		f := r.flow(id.Uint())
		check(t, f.from == "", "flow %d begins twice", id.Uint())
		f.from, f.start = name, at
	}
	for _, id := range e.list("terminating_flow_ids") {
		f := r.flow(id.Uint())
		f.to = name
		f.ends++
	}
	switch kind {
	case sliceBegin:
		stack := r.open[track]
		r.open[track] = append(stack, len(r.slices))
		r.slices = append(r.slices, slice{lane, name, len(stack), at, 0, arguments(e)})
	case sliceEnd:
		stack := r.open[track]
		check(t, len(stack) > 0, "an end without a beginning")
		s := &r.slices[stack[len(stack)-1]]
		s.to = at
		s.args += arguments(e)
		r.open[track] = stack[:len(stack)-1]
	case instant:
		r.instants = append(r.instants, name)
	default:
		check(t, false, "an event of type %d", kind)
	}
}

func (r *read) flow(id uint64) *flow {
	f := r.flows[id]
	if f == nil {
		f = &flow{}
		r.flows[id] = f
	}
	return f
}

func arguments(e msg) string {
	var all strings.Builder
	for _, a := range e.list("debug_annotations") {
		annotation := msg{a.Message()}
		value := annotation.get("uint_value").String()
		if annotation.has("string_value") {
			value = annotation.string("string_value")
		}
		all.WriteString(annotation.string("name") + "=" + value + " ")
	}
	return all.String()
}

func perfetto(t require.TestingT, s *trace.Snapshot) []byte {
	var b bytes.Buffer
	require.NoError(t, export.Perfetto(&b, s))
	return b.Bytes()
}

func TestAnythingIsRead(t *testing.T) {
	kind := traceType(t)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high int) int {
			return rapid.IntRange(low, high).Draw(t, name)
		}
		var s *trace.Snapshot
		if draw("garbage", 0, 1) == 1 {
			s = made.Garbage(25, draw)
		} else {
			p := made.Draw(12, draw)
			s = made.Run(&p, draw("workers", 1, 4))
		}
		for id, info := range s.Tasks {
			info.Name += "\xff\x00"
			s.Tasks[id] = info
		}
		r := parse(t, kind, perfetto(t, s))
		require.GreaterOrEqual(t, len(r.lanes), len(s.Lanes))
	})
}

func TestAFrame(t *testing.T) {
	p := made.Program{Tasks: []made.Task{
		{Name: "update", Graph: "frame", Rounds: made.Steps(made.Work(1000), made.Launch(1),
			made.Work(2000), made.Wait(1), made.Loop(3000, 2000))},
		{Name: "physics", Priority: "high", Rounds: made.Steps(made.Work(4500))},
		{Name: "draw", Graph: "frame", After: []int{0}, Rounds: made.Steps(made.Work(1500))},
	}}
	r := parse(t, traceType(t), perfetto(t, made.Run(&p, 2)))
	require.Equal(t, []string{"worker 0", "worker 1", "outside"}, r.lanes)
	require.Contains(t, r.slices, slice{"worker 0", "update", 0, 0, 8500,
		"task=1 graph=frame run=0 "})
	require.Contains(t, r.slices, slice{"worker 0", "wait for physics", 1, 3000, 5500, ""})
	require.Contains(t, r.slices, slice{"worker 1", "physics", 0, 1000, 5500,
		"task=2 priority=high "})
	require.Contains(t, r.slices, slice{"worker 0", "range of update", 1, 5500, 8500,
		"first=0 elements=1 "})
	var flows []string
	for _, f := range r.flows {
		flows = append(flows, f.from+" > "+f.to)
	}
	slices.Sort(flows)
	require.Equal(t, []string{"launch draw > draw", "launch physics > physics",
		"launch update > update", "update > draw"}, flows)
	require.Equal(t, []uint64{0, 1, 1000, 2}, r.counters["awake workers"][:4])
	require.NotEmpty(t, r.counters["ready tasks"])
}

func TestNothingAndMany(t *testing.T) {
	kind := traceType(t)
	r := parse(t, kind, perfetto(t, &trace.Snapshot{}))
	require.Empty(t, r.slices)
	tasks := short.Scaled(100_000)
	s := &trace.Snapshot{Lanes: []trace.Lane{{Name: "worker 0"}}, To: time.Duration(tasks),
		Tasks: map[trace.ID]trace.Task{}}
	for i := range trace.ID(tasks) {
		s.Lanes[0].Events = append(s.Lanes[0].Events,
			trace.Event{At: time.Duration(i), Kind: trace.Begin, Task: i + 1},
			trace.Event{At: time.Duration(i) + 1, Kind: trace.End, Task: i + 1})
		if i > 0 {
			s.Tasks[i+1] = trace.Task{Name: "t", After: []trace.ID{i}}
		}
	}
	r = parse(t, kind, perfetto(t, s))
	require.Len(t, r.slices, tasks)
	require.Len(t, r.flows, tasks-1)
}
