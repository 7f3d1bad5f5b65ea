// Package export writes recorded traces, and what package profile says of them, for viewers and for
// people:
//
//   - JSON in the trace event format of Chrome, which ui.perfetto.dev and chrome://tracing open;
//   - Perfetto as Perfetto's own protocol buffers, which are smaller and open faster;
//   - Lanes as a picture of what each lane did, with the critical path;
//   - SVG and DOT as a graph of tasks with their times, slack and the critical path;
//   - Text as a report for a terminal.
//
// All of them write as they go, through a buffer, and return the first error of the writer. What a
// name may hold is escaped as the format wants it; bytes that are no text become U+FFFD. None
// changes what it is given, and each may be called by any goroutine.
package export
