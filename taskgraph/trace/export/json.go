package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// JSON writes a snapshot as a JSON object of Chrome's trace event format. There is a thread for
// each lane, and several for the one of all goroutines from outside, whose stretches overlap; a
// slice for each body, and in it for its waits, ranges, and times in Context.Blocking; an arrow
// from each prerequisite to what came after it, and from each launch to the begin; and counters of
// the tasks that are ready and of the workers that are awake. Times are microseconds since
// Snapshot.Began.
//
// It is Google's "Trace Event Format": begin and end events "B" and "E", instants "i", flows "s"
// and "f", counters "C" and metadata "M".
func JSON(w io.Writer, s *trace.Snapshot) error {
	j := &jsonSink{w: bufio.NewWriter(w)}
	j.text(`{"displayTimeUnit":"ns","traceEvents":[`)
	j.metadata("process_name", 0, "name", "taskgraph")
	t := timeline{s: s, sink: j}
	t.play()
	j.text("\n]}\n")
	return j.w.Flush()
}

// The errors of a bufio.Writer stay until Flush returns them.
type jsonSink struct {
	w        *bufio.Writer
	any      bool
	line     []byte
	counters []string
}

func (j *jsonSink) text(s string) { _, _ = j.w.WriteString(s) }

// tid returns the thread of a track: 0 is the process.
func tid(track int) int { return track + 1 }

// event begins an event of a phase.
func (j *jsonSink) event(phase string, track int) {
	if j.any {
		j.line = append(j.line, ',')
	}
	j.any = true
	j.line = append(j.line, "\n"+`{"ph":"`+phase+`","pid":1,"tid":`...)
	j.line = strconv.AppendInt(j.line, int64(tid(track)), 10)
}

func (j *jsonSink) at(at time.Duration) {
	j.line = append(j.line, `,"ts":`...)
	j.line = strconv.AppendInt(j.line, int64(at/1000), 10)
	j.line = append(j.line, '.', byte('0'+at/100%10), byte('0'+at/10%10), byte('0'+at%10))
}

func (j *jsonSink) member(name, value string) {
	j.line = append(j.line, `,"`+name+`":`...)
	j.string(value)
}

func (j *jsonSink) string(s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string is never refused
	}
	j.line = append(j.line, quoted...)
}

func (j *jsonSink) done() {
	j.line = append(j.line, '}')
	_, _ = j.w.Write(j.line)
	j.line = j.line[:0]
}

func (j *jsonSink) metadata(kind string, track int, name, value string) {
	j.event("M", track)
	j.member("name", kind)
	j.line = append(j.line, `,"args":{"`+name+`":`...)
	j.string(value)
	j.line = append(j.line, '}')
	j.done()
}

func (j *jsonSink) track(n int, name string) {
	j.metadata("thread_name", n, "name", name)
	j.event("M", n)
	j.member("name", "thread_sort_index")
	j.line = append(j.line, `,"args":{"sort_index":`...)
	j.line = strconv.AppendInt(j.line, int64(n), 10)
	j.line = append(j.line, '}')
	j.done()
}

func (j *jsonSink) counter(_ int, name string) { j.counters = append(j.counters, name) }

func (j *jsonSink) args(args []arg) {
	if len(args) == 0 {
		return
	}
	j.line = append(j.line, `,"args":{`...)
	for i, a := range args {
		if i > 0 {
			j.line = append(j.line, ',')
		}
		j.string(a.name)
		j.line = append(j.line, ':')
		if a.text != "" {
			j.string(a.text)
		} else {
			j.line = strconv.AppendUint(j.line, a.value, 10)
		}
	}
	j.line = append(j.line, '}')
}

func (j *jsonSink) begin(track int, at time.Duration, s *slice) {
	j.event("B", track)
	j.at(at)
	j.member("name", s.name)
	j.member("cat", s.category)
	j.args(s.args)
	j.done()
	for _, flow := range s.in {
		j.flow("f", track, at, flow, `,"bp":"e"`)
	}
	for _, flow := range s.early {
		j.flow("s", track, at, flow, "")
	}
}

// end writes the flows that begin in a slice before its end, so that they are in it.
func (j *jsonSink) end(track int, at time.Duration, s *slice) {
	for _, flow := range s.late {
		j.flow("s", track, at, flow, "")
	}
	j.event("E", track)
	j.at(at)
	j.args(s.after)
	j.done()
}

func (j *jsonSink) flow(phase string, track int, at time.Duration, id uint64, rest string) {
	j.event(phase, track)
	j.at(at)
	j.line = append(j.line, `,"name":"then","cat":"flow","id":`...)
	j.line = strconv.AppendUint(j.line, id, 10)
	j.line = append(j.line, rest...)
	j.done()
}

// instant writes what begins a flow as a slice without length: flows are between slices.
func (j *jsonSink) instant(track int, at time.Duration, s *slice) {
	if len(s.early) > 0 {
		j.begin(track, at, s)
		j.end(track, at, s)
		return
	}
	j.event("i", track)
	j.at(at)
	j.member("s", "t")
	j.member("name", s.name)
	j.member("cat", s.category)
	j.args(s.args)
	j.done()
}

func (j *jsonSink) value(counter int, at time.Duration, v int) {
	j.event("C", -1)
	j.at(at)
	j.member("name", j.counters[counter])
	j.args([]arg{{name: "count", value: uint64(max(v, 0))}})
	j.done()
}
