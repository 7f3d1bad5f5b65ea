package profile

import "time"

// A Prediction says how long the same tasks would take on other numbers of workers.
type Prediction struct {
	Points []Point // in the order in which they were asked for

	// Scales is the largest number of workers asked for up to which each, in order, has an
	// efficiency of at least 0.9; 0 if none has.
	Scales int

	// SpanBinds is from how many workers on the span, or what one named thread has to do, and not
	// the work, is the larger lower bound: more of them have nothing to do on the average. What to
	// shorten then is on Report.Path. It is 0 if there is no span.
	SpanBinds int
}

// A Point is the prediction for one number of workers.
type Point struct {
	Workers    int           // how many
	Time       time.Duration // how long all takes them
	Speedup    float64       // how many times as fast as one worker, as predicted
	Efficiency float64       // of the workers: speedup by workers

	// No schedule is shorter than Lower: the largest of the span, of the work that is not for named
	// threads by workers, of the work for one thread, and of all work by processors. None that
	// leaves no worker idle while a task is ready is longer than Upper, the span and the work by
	// workers together, if starts cost nothing, there are as many processors, and no task is for a
	// thread.
	Lower, Upper time.Duration
}

// usualWorkers are predicted if no numbers are given.
var usualWorkers = []int{1, 2, 4, 8, 16, 32, 64, 128}

// Predict replays the tasks on so many workers, or on 1, 2, 4 and so on to 128: whoever is free
// takes what is ready, the highest priority first and the oldest of it, and a start costs what
// Costs says. What is for a named thread runs there. Where no body ran at all, and starts do not
// explain it, something else was waited for, and the prediction has that time too. It is
// deterministic. It does not know that workers share caches and memory, that bodies would have
// taken longer or less long on others, and how the program outside of bodies depends on them. It
// panics if a number is not positive.
func (r *Report) Predict(workers ...int) Prediction { return r.PredictOn(0, workers...) }

// PredictOn is Predict on a machine where no more than so many workers and threads compute at the
// same time; 0 is without limit.
func (r *Report) PredictOn(processors int, workers ...int) Prediction {
	if len(workers) == 0 {
		workers = usualWorkers
	}
	_, quiet := r.replay(max(r.Workers, 1), processors, r.Costs)
	rest := max(0, r.Stalled-quiet)
	replay := func(n int) time.Duration {
		time, _ := r.replay(n, processors, r.Costs)
		return time + rest
	}
	one := replay(1)
	p := Prediction{}
	work, busiest := r.split()
	floor := max(r.Span, busiest)
	if processors > 0 {
		floor = max(floor, divideUp(r.Work, processors))
	}
	scales := true
	for _, n := range workers {
		if n <= 0 {
			panic("profile: Predict for a number of workers that is not positive")
		}
		point := Point{Workers: n, Time: replay(n), Lower: max(floor, divideUp(work, n)),
			Upper: divideUp(r.Work, n) + r.Span}
		point.Speedup = ratio(one, point.Time)
		point.Efficiency = point.Speedup / float64(n)
		if scales = scales && point.Efficiency >= 0.9; scales {
			p.Scales = max(p.Scales, n)
		}
		p.Points = append(p.Points, point)
	}
	if r.Span > 0 {
		p.SpanBinds = max(1, int(divideUp(work, int(max(r.Span, busiest)))))
	}
	return p
}

// split returns the work that any worker can do, and that of the named thread that has the most.
func (r *Report) split() (workers, busiest time.Duration) {
	threads := map[int32]time.Duration{}
	for i := range r.dag.nodes {
		n := &r.dag.nodes[i]
		switch {
		case !n.strand || n.blocked:
		case r.pinned[n.task] != none && r.pinned[n.task] == n.lane:
			threads[n.lane] += n.dur
			busiest = max(busiest, threads[n.lane])
		default:
			workers += n.dur
		}
	}
	return workers, busiest
}

func divideUp(d time.Duration, n int) time.Duration {
	return (d + time.Duration(n) - 1) / time.Duration(n)
}
