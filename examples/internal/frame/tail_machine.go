package frame

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
)

// An observer reads what the system knows of the machine's time, as far as it is one that says it:
// Linux. Reading allocates nothing, but for the first look at a thread.
type observer struct {
	stat    *os.File // of the machine
	threads map[string]*waiter
	text    []byte
	gc      []metrics.Sample
}

// A waiter is a thread of this process.
type waiter struct {
	file   *os.File
	waited time.Duration // for a processor, when it was last looked at
}

// A reading is what has added up so far.
type reading struct {
	steal     time.Duration // all processors, in steps of a hundredth of a second
	collector time.Duration // processor time, but for what was idle else

	// Since the reading before: for how long the thread waited for a processor that waited longest.
	// What several wait at the same time is lost once.
	waiting time.Duration
}

// collectorTimes are the times of the collector that others lack.
var collectorTimes = []string{
	"/cpu/classes/gc/mark/assist:cpu-seconds", "/cpu/classes/gc/mark/dedicated:cpu-seconds",
	"/cpu/classes/gc/pause:cpu-seconds",
}

func newObserver() *observer {
	o := &observer{threads: map[string]*waiter{}, text: make([]byte, 1<<12)}
	o.stat, _ = os.Open("/proc/stat") // nil where there is none
	for _, name := range collectorTimes {
		o.gc = append(o.gc, metrics.Sample{Name: name})
	}
	return o
}

// look finds the threads that there are. Those that end count no more.
func (o *observer) look() {
	names, _ := filepath.Glob("/proc/self/task/*/schedstat") // none where there are none
	for _, name := range names {
		if o.threads[name] == nil {
			if f, err := os.Open(name); err == nil {
				o.threads[name] = &waiter{file: f}
			}
		}
	}
}

// line returns the first line of a file that is open.
func (o *observer) line(f *os.File) []byte {
	n, _ := f.ReadAt(o.text, 0) // a thread that has ended has no line
	if end := bytes.IndexByte(o.text[:n], '\n'); end >= 0 {
		return o.text[:end]
	}
	return nil
}

// A jiffy is the unit of /proc/stat.
const jiffy = time.Second / 100

func (o *observer) read() (r reading) {
	metrics.Read(o.gc)
	for i := range o.gc {
		if v := o.gc[i].Value; v.Kind() == metrics.KindFloat64 {
			r.collector += time.Duration(v.Float64() * float64(time.Second))
		}
	}
	for _, t := range o.threads {
		if waited := time.Duration(field(o.line(t.file), 1)); waited > 0 {
			r.waiting = max(r.waiting, waited-t.waited)
			t.waited = waited
		}
	}
	if o.stat != nil {
		// "cpu", two blanks, and user, nice, system, idle, iowait, irq, softirq, steal.
		r.steal = time.Duration(field(o.line(o.stat), 9)) * jiffy
	}
	return r
}

// field returns a number of a line, in which single blanks are between fields; or 0.
func field(line []byte, k int) int64 {
	for ; k > 0; k-- {
		i := bytes.IndexByte(line, ' ')
		if i < 0 {
			return 0
		}
		line = line[i+1:]
	}
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		line = line[:i]
	}
	n, _ := strconv.ParseInt(string(line), 10, 64) // what is no number is none
	return n
}

// close closes the files.
func (o *observer) close() {
	if o.stat != nil {
		o.stat.Close()
	}
	for _, t := range o.threads {
		t.file.Close()
	}
}

// A meter measures the machine itself: on each processor a thread that computes the same again and
// again, about as long as a frame takes, and nothing else.
type meter struct {
	rounds int
	times  []time.Duration
	zero   []uint64
}

// newMeter returns one whose computation takes about so long where nothing disturbs it.
func newMeter(d time.Duration) *meter {
	const try = 100_000
	best := time.Duration(1 << 62)
	m := &meter{rounds: 1, zero: make([]uint64, 8*runtime.GOMAXPROCS(0))}
	for range 9 {
		start := time.Now()
		m.zero[0] = spun(try)
		best = min(best, time.Since(start))
	}
	m.rounds = max(1, int(int64(try)*int64(d)/max(1, int64(best))))
	return m
}

// sample computes once, on all processors.
func (m *meter) sample() {
	n := len(m.zero) / 8
	done := make(chan struct{}, n)
	start := time.Now()
	for k := range n {
		part := func() {
			m.zero[8*k] = spun(m.rounds)
			done <- struct{}{}
		}
		if k < n-1 {
			go part()
		} else {
			part()
		}
	}
	for range n {
		<-done
	}
	m.times = append(m.times, time.Since(start))
}

// spun computes so many rounds, each of which needs the one before. After Marsaglia, "Xorshift
// RNGs", 2003.
func spun(rounds int) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
