package frame

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// writeTrace writes what a recorder has noted as a trace that Perfetto and chrome://tracing show: a
// lane a worker and a thread, and a bar a call.
func writeTrace(w io.Writer, p *plan, r *recorder) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
	fmt.Fprint(b, `{"ph":"M","pid":1,"name":"process_name","args":{"name":"frameloop"}}`)
	for i := range r.lanes {
		l := &r.lanes[i]
		if len(l.spans) == 0 && strings.HasPrefix(l.name, standIn) {
			continue
		}
		fmt.Fprintf(b,
			",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":%q}}",
			i+1, l.name)
		fmt.Fprintf(b,
			",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
			i+1, sortIndex(i, len(r.lanes)))
		for _, s := range l.spans {
			name, class := fmt.Sprintf("frame %d", s.frame), "frame"
			if k := int(s.step); k < len(p.steps) {
				name, class = p.steps[k].name, p.steps[k].class.String()
			} else if k == len(p.steps)+betweenFrames {
				name = "between frames"
			} else if k == len(p.steps)+loading {
				name = "load"
			}
			fmt.Fprintf(b,
				",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":%q,\"cat\":%q,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"frame\":%d}}",
				i+1, name, class, float64(s.start.Nanoseconds())/1e3,
				float64((s.end-s.start).Nanoseconds())/1e3, s.frame)
		}
	}
	fmt.Fprint(b, "\n]}\n")
	return b.Flush()
}

// sortIndex puts the threads above the workers.
func sortIndex(lane, lanes int) int {
	if first := lanes - len(threadNames); lane >= first {
		return lane - first
	}
	return lane + len(threadNames)
}
