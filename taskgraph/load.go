package taskgraph

import "runtime/metrics"

// A load asks the Go scheduler how many goroutines of the process compute: those that run and
// those that would if there were a processor for them. It is for one goroutine, which it does
// not count. The answer is that of one moment, and approximate.
type load struct{ samples [2]metrics.Sample }

func newLoad() *load {
	return &load{[2]metrics.Sample{
		{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/runnable:goroutines"},
	}}
}

// computing returns how many goroutines compute besides the caller, or false if this version of
// Go does not tell. It allocates nothing but in the process's first call.
func (l *load) computing() (n int, ok bool) {
	metrics.Read(l.samples[:])
	for i := range l.samples {
		v := &l.samples[i].Value
		if v.Kind() != metrics.KindUint64 {
			return 0, false
		}
		n += int(v.Uint64())
	}
	return n - 1, true
}
