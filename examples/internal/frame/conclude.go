package frame

import (
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A conclusion is what the medians of a run allow to be said in words.
type conclusion struct {
	frames, workers, processors int

	serial, goroutines, heddle time.Duration
	serialP95                  time.Duration
	orders                     []timed // the other orders of the graph
	equal                      bool    // the digests
}

// A timed is something with a name that took a time.
type timed struct {
	name string
	took time.Duration
}

// busy is how many times the median the 95th percentile of the serial frames must be to show that
// other programs had the processors.
const busy = 2

// lines are the sentences, one a line: what was gained, what was slower than one thread, and
// whether all computed the same.
func (c conclusion) lines() []string {
	list := []string{
		fmt.Sprintf("Heddle takes %.2f ms for a frame (the median of %s), with %s on %s.",
			figures.MS(c.heddle), verdict.Count(c.frames, "frame"),
			verdict.Count(c.workers, "worker"), verdict.Count(c.processors, "processor")),
		fmt.Sprintf("It %s.", figures.Beside(c.heddle, c.serial, "one thread")),
		fmt.Sprintf("It %s.", figures.Beside(c.heddle, c.goroutines, "plain goroutines")),
	}
	if r := figures.Ratio(c.serial, c.heddle); r > float64(c.processors)*(1+figures.Noise) {
		list[1] += fmt.Sprintf(" More than %d on %s is not Heddle's doing: it comes\nfrom other "+
			"programs on the machine, or from the caches of more processors.", c.processors,
			verdict.Count(c.processors, "processor"))
	}
	var behind []string
	if figures.Slower(c.goroutines, c.serial) {
		behind = append(behind, "plain goroutines")
	}
	for _, o := range c.orders {
		if figures.Slower(o.took, c.serial) {
			behind = append(behind, "the order "+o.name)
		}
	}
	if len(behind) > 0 {
		list = append(list, "Also slower than one thread: "+strings.Join(behind, ", ")+".")
		if !figures.Slower(c.heddle, c.serial) {
			list[len(list)-1] = "Slower than one thread: " + strings.Join(behind, ", ") + "."
		}
	}
	if float64(c.serialP95) > busy*float64(c.serial) {
		list = append(list, fmt.Sprintf("The machine was busy: one frame in 20 took one thread "+
			"over %.2f ms instead of %.2f.\nRun it again when the machine is quiet.",
			figures.MS(c.serialP95), figures.MS(c.serial)))
	}
	if c.equal {
		return append(list, "All three computed the same state and the same picture, bit for bit.")
	}
	return append(list, "They did NOT compute the same: see the row digests.")
}
