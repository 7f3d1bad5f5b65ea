package profile

import "time"

// Free replays the tasks with starts that cost nothing.
func (r *Report) Free(workers int) time.Duration {
	time, _ := r.replay(workers, 0, Costs{})
	return time
}

// LongestOfAll finds the span by walking every path, edge by edge.
func (r *Report) LongestOfAll() (longest time.Duration) {
	var walk func(n int32, before time.Duration)
	walk = func(n int32, before time.Duration) {
		before += r.dag.nodes[n].dur
		longest = max(longest, before)
		for _, m := range r.dag.after(n) {
			walk(m, before)
		}
	}
	for n, d := range r.dag.degree {
		if d == 0 {
			walk(int32(n), 0)
		}
	}
	return longest
}

// Paths returns how many paths there are, or a number that is too high if they are many.
func (r *Report) Paths() (all int) {
	count := make([]int, len(r.dag.nodes))
	for _, n := range r.dag.order {
		if r.dag.degree[n] == 0 {
			count[n] = 1
		}
		for _, m := range r.dag.after(n) {
			count[m] = min(count[m]+count[n], 1<<30)
		}
		if len(r.dag.after(n)) == 0 {
			all = min(all+count[n], 1<<30)
		}
	}
	return all
}
