package yield

import "runtime/metrics"

// A Load asks the Go scheduler how many goroutines of the process run or would run if there were a
// processor for them. It is for one goroutine at a time.
type Load struct{ samples [2]metrics.Sample }

// NewLoad returns a Load.
func NewLoad() *Load {
	return &Load{[2]metrics.Sample{
		{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/runnable:goroutines"},
	}}
}

// Read returns how many goroutines run, the caller included, and how many are ready to run, or
// false if this version of Go does not tell. The answer is a snapshot, and approximate. Only the
// process's first call allocates. It waits for others who ask the runtime.
func (l *Load) Read() (running, ready int, ok bool) {
	metrics.Read(l.samples[:])
	for i := range l.samples {
		if l.samples[i].Value.Kind() != metrics.KindUint64 {
			return 0, 0, false
		}
	}
	return int(l.samples[0].Value.Uint64()), int(l.samples[1].Value.Uint64()), true
}
