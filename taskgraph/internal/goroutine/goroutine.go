package goroutine

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// ID returns the number of the calling goroutine in stack traces, or 0 if the format of traces has
// changed. It takes a few microseconds, and is called once for each runner.
func ID() uint64 {
	var buf [64]byte
	id, _ := parseGoroutine(buf[:runtime.Stack(buf[:], false)])
	return id
}

// parseGoroutine returns the number at the beginning of a trace, and what follows it.
func parseGoroutine(trace []byte) (id uint64, rest []byte) {
	const prefix = "goroutine "
	rest, ok := bytes.CutPrefix(trace, []byte(prefix))
	if !ok {
		return 0, nil
	}
	end := bytes.IndexByte(rest, ' ')
	if end < 0 {
		return 0, nil
	}
	id, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	if err != nil {
		return 0, nil
	}
	return id, rest[end:]
}

const (
	maxTraces = 4 << 20 // bytes of all stacks together
	maxFrames = 24      // of one stack that a report shows
)

// Stacks returns the stacks of the goroutines with the given numbers, without the library's frames
// at the top. It stops the program while it prints all stacks.
func Stacks(ids map[uint64]bool) map[uint64]string {
	if len(ids) == 0 {
		return nil
	}
	buf := make([]byte, 64<<10)
	n := runtime.Stack(buf, true)
	for n == len(buf) && n < maxTraces {
		buf = make([]byte, 4*len(buf))
		n = runtime.Stack(buf, true)
	}
	stacks := map[uint64]string{}
	for _, trace := range bytes.Split(buf[:n], []byte("\n\n")) {
		if id, rest := parseGoroutine(trace); ids[id] {
			_, frames, _ := strings.Cut(string(rest), "\n")
			stacks[id] = trimFrames(frames)
		}
	}
	return stacks
}

// trimFrames drops frames of the library and the runtime at the top of a stack, and frames beyond
// maxFrames. A frame has two lines.
func trimFrames(frames string) string {
	lines := strings.Split(strings.TrimRight(frames, "\n"), "\n")
	top := 0
	for i := 0; i+2 < len(lines); i += 2 {
		if isOurs(lines[i]) {
			top = i + 2
		} else if !strings.HasPrefix(lines[i], "sync.") &&
			!strings.HasPrefix(lines[i], "syscall.") {
			break // the body's own calls, unless a frame of ours is below them
		}
	}
	lines = lines[top:]
	for i := 0; i+1 < len(lines); i += 2 {
		if i > 0 && isOurs(lines[i]) { // how the body came to run
			lines = lines[:i]
			break
		}
	}
	if len(lines) > 2*maxFrames {
		more := (len(lines) - 2*maxFrames) / 2
		lines = append(lines[:2*maxFrames], "and "+strconv.Itoa(more)+" more frames")
	}
	return strings.Join(lines, "\n")
}

// Library is the prefix of the names of functions of package taskgraph and of the packages below
// it.
var Library = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	return name[:strings.LastIndex(name, "/internal/goroutine.")]
}()

// isOurs reports whether a function belongs to this module's machinery or to the runtime.
func isOurs(function string) bool {
	module := strings.TrimSuffix(Library, "taskgraph")
	for _, p := range [...]string{Library + ".", Library + "/", module + "graphevent.",
		module + "internal/", module + "sleepevent.", module + "namedthread.", "runtime.",
		"internal/runtime/", "sync.runtime_", "internal/sync.",
		"created by "} {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	return false
}
