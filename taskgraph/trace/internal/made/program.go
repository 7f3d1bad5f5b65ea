package made

import "time"

// A Program is tasks, by index. Those that no body launches are launched from outside when the
// program begins.
type Program struct{ Tasks []Task }

// A Task is one of a program.
type Task struct {
	Name, Graph, Priority string

	Run    int      // the task that stands for the run of the graph, plus 1; or 0
	After  []int    // what it waits for before it begins; launched before it
	Rounds [][]Step // the bodies, one after the other; most have one, and an event has none
	Holds  []int    // what it waits for before it completes
	Failed bool
	Thread string // the named thread that runs it, or ""
}

// Steps is the only body of a task.
func Steps(steps ...Step) [][]Step { return [][]Step{steps} }

// A Step is what a body does next: one of the fields.
type Step struct {
	Work   time.Duration
	Block  time.Duration   // inside of Context.Blocking
	Launch int             // a task, plus 1
	Wait   int             // for a task, plus 1
	All    bool            // waits for all that the body has launched
	Loop   []time.Duration // a loop of ranges
}

// Work is a step that computes.
func Work(d time.Duration) Step { return Step{Work: d} }

// Launch is a step that launches a task.
func Launch(task int) Step { return Step{Launch: task + 1} }

// Wait is a step that waits for a task.
func Wait(task int) Step { return Step{Wait: task + 1} }

// WaitAll is a step that waits for all that the body has launched.
func WaitAll() Step { return Step{All: true} }

// Block is a step that gives the worker away.
func Block(d time.Duration) Step { return Step{Block: d} }

// Loop is a step that runs ranges in parallel.
func Loop(ranges ...time.Duration) Step { return Step{Loop: ranges} }

// Work returns how long all bodies compute.
func (p *Program) Work() (sum time.Duration) {
	for i := range p.Tasks {
		for _, steps := range p.Tasks[i].Rounds {
			for _, s := range steps {
				sum += s.Work
				for _, r := range s.Loop {
					sum += r
				}
			}
		}
	}
	return sum
}

// Span returns when the program ends on workers without number that begin at once what can begin.
func (p *Program) Span() (end time.Duration) {
	ideal := make([]ideal, len(p.Tasks))
	for i := range p.Tasks {
		end = max(end, p.finish(ideal, i))
	}
	return end
}

type ideal struct {
	launched, finish time.Duration
	known            bool
}

func (p *Program) finish(ideal []ideal, i int) time.Duration {
	if ideal[i].known {
		return ideal[i].finish
	}
	ideal[i].known = true
	t := &p.Tasks[i]
	now := ideal[i].launched
	for _, a := range t.After {
		now = max(now, p.finish(ideal, a))
	}
	for _, steps := range t.Rounds {
		var mine []int
		for _, s := range steps {
			now += s.Work + s.Block
			switch {
			case s.Launch > 0:
				ideal[s.Launch-1].launched = now
				mine = append(mine, s.Launch-1)
			case s.Wait > 0:
				now = max(now, p.finish(ideal, s.Wait-1))
			case s.All:
				for _, c := range mine {
					now = max(now, p.finish(ideal, c))
				}
			case len(s.Loop) > 0:
				longest := time.Duration(0)
				for _, r := range s.Loop {
					longest = max(longest, r)
				}
				now += longest
			}
		}
		for _, c := range mine {
			p.finish(ideal, c)
		}
	}
	for _, h := range t.Holds {
		now = max(now, p.finish(ideal, h))
	}
	ideal[i].finish = now
	return now
}
