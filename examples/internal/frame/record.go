package frame

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
)

// A recording is what one frame of the split order is made of: its steps, what each comes after,
// what each range of its objects costs, and how much memory it touches. Whoever replays it has the
// frame's work without its figures. A frame is played serially, again and again from the start.
type recording struct {
	plan   *plan
	pieces [][]time.Duration // of each step; the last one is what is done between two frames
	bytes  []int             // likewise; 0 where the system does not say
	island []int             // of each dependent: the piece that feeds it
}

const (
	recordFrame  = 100 // is recorded; those before it fill all that fills
	recordRuns   = 9   // of which the fastest counts, piece by piece: what disturbs only ever adds
	recordMemory = 4   // likewise, of which the smallest counts
	recordPieces = 64  // at most of a step, but of those that feed others or are fed
)

// record plays and records a frame of the scene that the options describe.
func record(o options) (*recording, error) {
	r := &recording{}
	for range recordRuns {
		if err := r.play(o, &stopwatch{}); err != nil {
			return nil, err
		}
	}
	for range recordMemory {
		if err := r.play(o, newFootprint()); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// A gauge measures a piece of work in its way.
type gauge interface {
	begin()
	end() int
}

// play plays the frames from the first on and measures the pieces of the last.
func (r *recording) play(o options, g gauge) error {
	s, err := o.newScene()
	if err != nil {
		return err
	}
	w := worldOf(s, scene.Split, quick)
	p := w.plan()
	pl := newSerial(p, nil)
	for f := range recordFrame {
		if err := pl.frame(f); err != nil {
			return err
		}
	}
	first := r.plan == nil
	if r.plan = p; first {
		r.pieces, r.bytes = make([][]time.Duration, len(p.steps)+1), make([]int, len(p.steps)+1)
		for i := range r.bytes {
			r.bytes[i] = -1
		}
	}
	_, watch := g.(*stopwatch)
	note := func(i, k, n int, work func()) {
		g.begin()
		work()
		got := g.end()
		if !watch {
			if r.bytes[i] < 0 || got < r.bytes[i] {
				r.bytes[i] = got
			}
			return
		}
		if r.pieces[i] == nil {
			r.pieces[i] = make([]time.Duration, n)
		}
		if d := time.Duration(got); first || r.pieces[i][k] > d {
			r.pieces[i][k] = d
		}
	}
	steps := func(later bool) {
		for i := range p.steps {
			s := &p.steps[i]
			if s.place.later() != later {
				continue
			}
			whole := func() {
				s.do(recordFrame, 0, s.size())
				if s.finish != nil {
					s.finish(recordFrame)
				}
			}
			grain := p.pieceOf(i)
			n := (s.size() + grain - 1) / grain
			if n <= 1 || !watch {
				note(i, 0, 1, whole)
				continue
			}
			for k := range n {
				note(i, k, n, func() { s.do(recordFrame, k*grain, min((k+1)*grain, s.size())) })
			}
			if s.finish != nil {
				s.finish(recordFrame)
			}
		}
	}
	steps(false)
	r.island = r.island[:0]
	for k := range s.Part.ChainCount() {
		r.island = append(r.island, int(w.carry.island[k]))
	}
	note(len(p.steps), 0, 1, func() { err = p.next(recordFrame) })
	steps(true)
	return err
}

// pieceOf returns how many objects a piece of a step has.
func (p *plan) pieceOf(i int) int {
	s := &p.steps[i]
	if p.isFeeder(i) || p.feeder(i) >= 0 {
		return 1
	}
	return max(s.grain, 1, (s.size()+recordPieces-1)/recordPieces)
}

// feeder returns the step that feeds the dependents if they are step i, or -1. What else is fed is
// recorded as a step like others.
func (p *plan) feeder(i int) int {
	for k := range p.steps {
		for _, fd := range p.steps[k].feeds {
			if fd.step == i && fd.to == "dependents" {
				return k
			}
		}
	}
	return -1
}

// isFeeder reports whether step i feeds the dependents.
func (p *plan) isFeeder(i int) bool {
	return slices.ContainsFunc(p.steps[i].feeds, func(fd *feed) bool {
		return fd.to == "dependents"
	})
}

// A stopwatch is a gauge of nanoseconds.
type stopwatch struct{ from time.Time }

func (s *stopwatch) begin()   { s.from = time.Now() }
func (s *stopwatch) end() int { return int(time.Since(s.from)) }

// A footprint is a gauge of bytes: those of all pages that are touched, of memory that is no
// file's. The kernel marks a page when its address is looked up. So the marks are cleared, and what
// a processor remembers of addresses is driven out.
type footprint struct {
	others []byte // pages that drive out what is remembered of others
	text   []byte
	base   int // bytes that are touched if nothing is done
}

func newFootprint() *footprint {
	f := &footprint{others: make([]byte, 64<<20), text: make([]byte, 1<<20)}
	for range 3 {
		f.begin()
		f.base = f.touched()
	}
	return f
}

func (f *footprint) begin() {
	// Where there is no such file, end tells.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("1"), 0)
	for i := 0; i < len(f.others); i += 1 << 12 {
		f.others[i]++
	}
}

func (f *footprint) end() int { return max(0, f.touched()-f.base) }

// touched adds up the pages that are marked.
func (f *footprint) touched() (sum int) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0
	}
	defer file.Close()
	n, _ := io.ReadFull(file, f.text) // what is too long ends there
	anonymous := false
	for line := range bytes.Lines(f.text[:n]) {
		switch fields := bytes.Fields(line); {
		case len(fields) > 4 && bytes.IndexByte(fields[0], '-') > 0:
			anonymous = len(fields) == 5 || fields[5][0] == '['
		case anonymous && len(fields) == 3 && string(fields[0]) == "Referenced:":
			kib, _ := strconv.Atoi(string(fields[1])) // the kernel writes numbers
			sum += kib << 10
		}
	}
	return sum
}

// write writes the recording as text: a line for the frame, and for each step its name, pieces,
// bytes and what it comes after, the nanoseconds of the pieces and, if another step feeds it, the
// number of that and the piece of it that each of the own ones waits for.
func (r *recording) write(out io.Writer, o options) error {
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "frame %d scene %v seed %d steps %d\n", recordFrame, o.setting, o.seed,
		len(r.pieces))
	ended := make([]bool, len(r.pieces)) // and nothing comes after it
	for i, pieces := range r.pieces {
		name, after := "between frames", []int(nil)
		if i < len(r.plan.steps) {
			name, after = r.plan.steps[i].name, r.plan.steps[i].follows()
			for _, k := range after {
				ended[k] = false
			}
			ended[i] = true
		} else {
			for k := range i {
				if ended[k] {
					after = append(after, k)
				}
			}
		}
		fmt.Fprintf(b, "step %s pieces %d bytes %d after %d", strings.ReplaceAll(name, " ", "-"),
			len(pieces), r.bytes[i], len(after))
		for _, k := range after {
			fmt.Fprint(b, " ", k)
		}
		for k, d := range pieces {
			fmt.Fprint(b, separator(k), d.Nanoseconds())
		}
		if feeder := r.plan.feeder(i); feeder >= 0 && len(r.island) > 0 {
			fmt.Fprintf(b, "\nfed %d", feeder)
			for k, island := range r.island {
				fmt.Fprint(b, separator(k), island)
			}
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// separator comes before a number of a list, so that its lines stay short.
func separator(k int) string {
	if k%16 == 0 {
		return "\n"
	}
	return " "
}
