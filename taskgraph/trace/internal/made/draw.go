package made

import (
	"fmt"
	"time"
)

// A Source draws numbers, as *rapid.T does by Draw.
type Source func(name string, low, high int) int

// Draw draws a program of up to most tasks: a tree of launches, with edges between what is launched
// by one body, waits, loops, blocking, rounds, held tasks, events and failures.
func Draw(most int, draw Source) Program {
	d := drawer{draw: draw, left: most}
	roots := d.children(-1)
	if len(roots) == 0 {
		d.task(-1, nil)
	}
	return Program{Tasks: d.tasks}
}

type drawer struct {
	draw  Source
	left  int
	depth int
	tasks []Task
}

// children draws tasks that one body launches, and returns which they are.
func (d *drawer) children(parent int) (all []int) {
	for range d.draw("children", 0, 4) {
		if d.left == 0 {
			break
		}
		all = append(all, d.task(parent, all))
	}
	return all
}

func (d *drawer) task(parent int, before []int) int {
	d.left--
	i := len(d.tasks)
	d.tasks = append(d.tasks, Task{Name: fmt.Sprintf("t%d", d.draw("name", 0, 5))})
	t := Task{Name: d.tasks[i].Name, Failed: d.draw("failed", 0, 9) == 0}
	for _, b := range before {
		if d.draw("after", 0, 3) == 0 {
			t.After = append(t.After, b)
		}
	}
	if d.draw("event", 0, 7) > 0 {
		d.depth++
		for range d.draw("rounds", 1, 8)/8 + 1 {
			t.Rounds = append(t.Rounds, d.steps(i))
		}
		d.depth--
		if last := t.Rounds[len(t.Rounds)-1]; d.draw("hold", 0, 3) == 0 {
			for _, s := range last {
				if s.Launch > 0 {
					t.Holds = append(t.Holds, s.Launch-1)
				}
			}
		}
	}
	d.tasks[i] = t
	return i
}

func (d *drawer) steps(i int) (steps []Step) {
	var mine []int
	work := func() { steps = append(steps, Work(time.Duration(d.draw("work", 1, 20)))) }
	work()
	for range d.draw("steps", 0, 5) {
		switch d.draw("step", 0, 6) {
		case 0, 1, 2:
			if d.left > 0 && d.depth < 4 {
				c := d.task(i, mine)
				mine = append(mine, c)
				steps = append(steps, Launch(c))
			}
		case 3:
			if len(mine) > 0 {
				steps = append(steps, Wait(mine[d.draw("which", 0, len(mine)-1)]))
			}
		case 4:
			steps = append(steps, WaitAll())
		case 5:
			var ranges []time.Duration
			for range d.draw("ranges", 1, 5) {
				ranges = append(ranges, time.Duration(d.draw("range", 1, 9)))
			}
			steps = append(steps, Loop(ranges...))
		case 6:
			steps = append(steps, Block(time.Duration(d.draw("block", 1, 9))))
		}
		if d.draw("then", 0, 2) > 0 {
			work()
		}
	}
	return steps
}
