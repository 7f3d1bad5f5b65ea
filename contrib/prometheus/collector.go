package prometheus

import (
	"strconv"

	"github.com/heddle-go/heddle/taskgraph"
	client "github.com/prometheus/client_golang/prometheus"
)

// A Collector exports the statistics of one system. They are read when Prometheus asks, so it
// costs nothing between. What they mean is written at [taskgraph.Stats], and in the table of the
// README.
type Collector struct {
	sys    *taskgraph.System
	values []value
	bodies *client.Desc
	slots  *client.Desc
}

// A value is one figure that is not divided by worker.
type value struct {
	desc *client.Desc
	kind client.ValueType
	of   func(*taskgraph.Stats) float64
}

// NewCollector returns a collector for sys. Its metrics have the label "system" with the name, so
// several systems of one program can be registered side by side. It panics if sys is nil, and may
// be used after a shutdown as well.
func NewCollector(sys *taskgraph.System, name string) *Collector {
	if sys == nil {
		panic("prometheus: NewCollector of a nil System")
	}
	desc := func(metric, help string, labels ...string) *client.Desc {
		return client.NewDesc(metric, help, labels, client.Labels{"system": name})
	}
	c := &Collector{
		sys:    sys,
		bodies: desc("heddle_bodies_total", "Bodies that a worker has run.", "worker"),
		slots:  desc("heddle_workers", "Workers, those added for blocked ones included."),
	}
	counter := func(metric, help string, of func(*taskgraph.Stats) uint64) {
		c.values = append(c.values, value{desc(metric, help), client.CounterValue,
			func(s *taskgraph.Stats) float64 { return float64(of(s)) }})
	}
	gauge := func(metric, help string, of func(*taskgraph.Stats) float64) {
		c.values = append(c.values, value{desc(metric, help), client.GaugeValue, of})
	}
	counter("heddle_tasks_completed_total", "Tasks that have completed, in whatever way.",
		func(s *taskgraph.Stats) uint64 { return s.Completed })
	counter("heddle_tasks_launched_in_bodies_total", "Tasks launched by bodies of other tasks.",
		func(s *taskgraph.Stats) uint64 { return s.Launched })
	gauge("heddle_tasks_incomplete", "Tasks that are not complete, those being built included.",
		func(s *taskgraph.Stats) float64 { return float64(s.Live) })
	counter("heddle_steals_total", "Tasks that a worker has taken from another.",
		func(s *taskgraph.Stats) uint64 { return s.Steals })
	counter("heddle_wakes_kernel_total", "Sleeping workers woken by a call to the kernel.",
		func(s *taskgraph.Stats) uint64 { return s.KernelWakes })
	counter("heddle_wakes_drowsing_total", "Drowsing workers woken without a call to the kernel.",
		func(s *taskgraph.Stats) uint64 { return s.DrowseWakes })
	counter("heddle_sleeps_total", "Times that a worker went to sleep.",
		func(s *taskgraph.Stats) uint64 { return s.Sleeps })
	counter("heddle_waits_parked_total", "Waits in bodies that gave their worker away.",
		func(s *taskgraph.Stats) uint64 { return s.Parks })
	counter("heddle_replacements_total",
		"Goroutines that took over a worker of one that waits or blocks.",
		func(s *taskgraph.Stats) uint64 { return s.Replacements })
	gauge("heddle_spares_max", "Most workers added at a time for bodies that block unseen.",
		func(s *taskgraph.Stats) float64 { return float64(s.Spares) })
	gauge("heddle_bodies_blocking", "Bodies inside Context.Blocking whose workers are stood in for.",
		func(s *taskgraph.Stats) float64 { return float64(s.Blocking) })
	counter("heddle_blocking_overflowed_total",
		"Calls of Context.Blocking beyond Options.MaxBlocking, which kept their workers.",
		func(s *taskgraph.Stats) uint64 { return s.Overflowed })
	return c
}

// Describe is for the registry.
func (c *Collector) Describe(out chan<- *client.Desc) {
	for _, v := range c.values {
		out <- v.desc
	}
	out <- c.bodies
	out <- c.slots
}

// Collect is for the registry, which may call it from many goroutines.
func (c *Collector) Collect(out chan<- client.Metric) {
	stats := c.sys.Stats()
	for _, v := range c.values {
		out <- client.MustNewConstMetric(v.desc, v.kind, v.of(&stats))
	}
	for i, n := range stats.Ran {
		out <- client.MustNewConstMetric(c.bodies, client.CounterValue, float64(n),
			strconv.Itoa(i))
	}
	out <- client.MustNewConstMetric(c.slots, client.GaugeValue, float64(len(stats.Ran)))
}
