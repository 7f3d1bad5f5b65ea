package main

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Frames of the example frameloop as that has recorded them: steps, what each comes after, and of
// each piece of a step what it costs and how much memory it touches.
//
//go:embed frames/*.txt
var recordedFrames embed.FS

// A recorded is a frame as it was recorded.
type recorded struct {
	scene string
	steps []recordedStep
}

// A recordedStep is a call, or a loop over pieces that may run in any order.
type recordedStep struct {
	name   string
	bytes  int
	after  []int
	pieces []time.Duration

	// The pieces of a step that is fed need not wait for the whole of the step that feeds it, each
	// waits for a piece of that. It comes after nothing else.
	source int   // who feeds it; or -1
	by     []int // which piece of source each piece waits for
}

// readRecorded reads what frameloop -record has written.
func readRecorded(from io.Reader) (r recorded, err error) {
	in := bufio.NewReader(from)
	scan := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fscanf(in, format, args...)
		}
	}
	numbers := func(n int, add func(int)) {
		for range n {
			var v int
			if err == nil {
				_, err = fmt.Fscan(in, &v)
			}
			add(v)
		}
	}
	var number, seed, steps int
	scan("frame %d scene %s seed %d steps %d\n", &number, &r.scene, &seed, &steps)
	if err == nil && (steps < 1 || steps > maxReplaySteps) {
		return r, fmt.Errorf("%d steps, want 1 to %d", steps, maxReplaySteps)
	}
	for i := 0; i < steps && err == nil; i++ {
		s := recordedStep{source: -1}
		var pieces, after int
		scan("step %s pieces %d bytes %d after %d", &s.name, &pieces, &s.bytes, &after)
		if err == nil && (pieces < 1 || after < 0 || after > i) {
			return r, fmt.Errorf("step %s: %d pieces after %d steps", s.name, pieces, after)
		}
		numbers(after, func(v int) { s.after = append(s.after, v) })
		numbers(pieces, func(v int) { s.pieces = append(s.pieces, time.Duration(v)) })
		scan("\n")
		if next, _ := in.Peek(len("fed ")); string(next) == "fed " {
			scan("fed %d", &s.source)
			numbers(pieces, func(v int) { s.by = append(s.by, v) })
			scan("\n")
		}
		if err == nil {
			err = r.add(s)
		}
	}
	return r, err
}

// add checks a step and adds it.
func (r *recorded) add(s recordedStep) error {
	for _, k := range s.after {
		if k < 0 || k >= len(r.steps) {
			return fmt.Errorf("step %s comes after number %d, which is not before it", s.name, k)
		}
	}
	if s.source >= 0 {
		if !slices.Equal(s.after, []int{s.source}) || r.steps[s.source].source >= 0 {
			return fmt.Errorf("step %s is fed by number %d and comes after %v", s.name, s.source,
				s.after)
		}
		for _, k := range s.by {
			if k < 0 || k >= len(r.steps[s.source].pieces) {
				return fmt.Errorf("step %s is fed by piece %d, which is none", s.name, k)
			}
		}
	}
	r.steps = append(r.steps, s)
	return nil
}

// recordedOf returns the frame of a scene, which is part of the program.
var recordedOf = func(scene string) recorded {
	text, err := recordedFrames.ReadFile("frames/" + scene + ".txt")
	if err == nil {
		var r recorded
		if r, err = readRecorded(bytes.NewReader(text)); err == nil {
			return r
		}
	}
	panic(fmt.Sprintf("the frame of %s: %v", scene, err))
}

const (
	maxReplaySteps = 64 // a set of them is a word
	lineWords      = 8  // of 8 bytes, in a cache line

	// replayRange is about what a range of a loop is worth: loops over small pieces take several.
	replayRange = 2 * time.Microsecond
)

// A replay does the work of a recorded frame again and again: in each piece so many rounds of the
// kernel, and as many lines of memory read and written meanwhile. It is the same in all runtimes,
// and notes who ran when.
type replay struct {
	steps []replayStep
	run   uint32 // the number of the frame
	wrong atomics.Int64
}

// A replayStep is a step. Who runs its pieces calls end when all are done.
type replayStep struct {
	after, next []int
	source, to  int // who feeds it, and whom it feeds; or -1
	pieces      []replayPiece
	feeds       [][]int // of each piece: pieces of to
	grain       int     // pieces a range
	urgency     time.Duration
	ended       uint32 // the number of the frame in which it has
}

// A replayPiece has memory of its own, and reads that of the piece that feeds it.
type replayPiece struct {
	rounds   int
	mem, fed []uint64
	by       int
	runs     uint32
	_        [40]byte // who runs the next one is somebody else
}

// newReplay returns a replay in which a millisecond is so many rounds, and all is a shrink-th.
func newReplay(r recorded, perMillisecond, shrink, workers int) *replay {
	f := &replay{steps: make([]replayStep, len(r.steps))}
	for i, from := range r.steps {
		s := &f.steps[i]
		*s = replayStep{after: from.after, source: from.source, to: -1,
			pieces: make([]replayPiece, len(from.pieces))}
		var all time.Duration
		for _, cost := range from.pieces {
			all += cost
		}
		lines := from.bytes / (8 * lineWords)
		memory := make([]uint64, lines/shrink*lineWords+len(s.pieces)*lineWords)
		for k, cost := range from.pieces {
			p := &s.pieces[k]
			p.rounds = int(float64(perMillisecond) * float64(cost) / float64(time.Millisecond) /
				float64(shrink))
			words := int(float64(lines/shrink)*float64(cost)/float64(max(all, 1))) * lineWords
			p.mem, memory = memory[:words:words], memory[words:]
			if from.source >= 0 {
				p.by = from.by[k]
				p.fed = f.steps[from.source].pieces[p.by].mem
			}
		}
		s.grain = max(1, int(replayRange*time.Duration(len(s.pieces))/max(all, 1)))
		for _, k := range from.after {
			f.steps[k].next = append(f.steps[k].next, i)
		}
		if from.source >= 0 {
			source := &f.steps[from.source]
			source.to, source.feeds = i, make([][]int, len(source.pieces))
			for k, by := range from.by {
				source.feeds[by] = append(source.feeds[by], k)
			}
		}
	}
	for i := len(f.steps) - 1; i >= 0; i-- {
		s := &f.steps[i]
		var all, longest time.Duration
		for _, cost := range r.steps[i].pieces {
			all, longest = all+cost, max(longest, cost)
		}
		s.urgency = max(all/time.Duration(workers), longest)
		for _, k := range s.next {
			s.urgency = max(s.urgency, max(all/time.Duration(workers), longest)+f.steps[k].urgency)
		}
	}
	return f
}

// piece does one piece of a step.
func (f *replay) piece(i, k int) {
	s := &f.steps[i]
	p := &s.pieces[k]
	if s.source >= 0 {
		if f.steps[s.source].pieces[p.by].runs != f.run {
			f.wrong.Add(1)
		}
	} else {
		for _, b := range s.after {
			if f.steps[b].ended != f.run {
				f.wrong.Add(1)
			}
		}
	}
	p.compute()
	p.runs++
}

// compute does the rounds of a piece, as many beside each line of its memory.
func (p *replayPiece) compute() {
	x := uint64(0x9e3779b97f4a7c15)
	for at := 0; at < len(p.fed); at += lineWords {
		x ^= p.fed[at]
	}
	lines := len(p.mem) / lineWords
	if lines == 0 {
		lines = 1
	}
	each, more := p.rounds/lines, p.rounds%lines
	for at := 0; at < len(p.mem); at += lineWords {
		n := each
		if at/lineWords < more {
			n++
		}
		x = kernelFrom((x^p.mem[at])|1, n) // of zero the kernel makes zero
		p.mem[at] = x
	}
	if len(p.mem) == 0 {
		x = kernelFrom(x|1, p.rounds)
	}
	if x == 0 {
		panic("the kernel has no zero") // but for this its rounds were not needed
	}
}

// kernelFrom is kernel from another beginning.
func kernelFrom(x uint64, rounds int) uint64 {
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// fed does the pieces that a piece of a step feeds, on the worker that has done it: its memory is
// still in the cache.
func (f *replay) fed(i, k int) {
	if to := f.steps[i].to; to >= 0 {
		for _, n := range f.steps[i].feeds[k] {
			f.piece(to, n)
		}
	}
}

// end notes that all pieces of a step have run.
func (f *replay) end(i int) {
	s := &f.steps[i]
	for k := range s.pieces {
		if s.pieces[k].runs != f.run {
			f.wrong.Add(1)
		}
	}
	for _, b := range s.after {
		if f.steps[b].ended != f.run {
			f.wrong.Add(1)
		}
	}
	s.ended = f.run
}

// check fails unless each piece and each step has run once in each frame, after what it comes
// after.
func (f *replay) check() error {
	if n := f.wrong.Load(); n > 0 {
		return fmt.Errorf("%d times something ran that was not to run yet, or not again", n)
	}
	for i := range f.steps {
		s := &f.steps[i]
		for k := range s.pieces {
			if n := s.pieces[k].runs; n != f.run {
				return fmt.Errorf("piece %d of step %d ran %d times in %d frames", k, i, n, f.run)
			}
		}
		if s.ended != f.run {
			return fmt.Errorf("step %d ended in frame %d of %d", i, s.ended, f.run)
		}
	}
	return nil
}

// sum is of all memory.
func (f *replay) sum() (sum uint64) {
	for i := range f.steps {
		for k := range f.steps[i].pieces {
			mem := f.steps[i].pieces[k].mem
			for at := 0; at < len(mem); at += lineWords {
				sum = (sum ^ mem[at]) * 0x100000001b3
			}
		}
	}
	return sum
}

// clear empties all memory.
func (f *replay) clear() {
	for i := range f.steps {
		for k := range f.steps[i].pieces {
			clear(f.steps[i].pieces[k].mem)
		}
	}
}

// serial plays a frame.
func (f *replay) serial() {
	for i := range f.steps {
		for k := range f.steps[i].pieces {
			f.piece(i, k)
		}
		f.end(i)
	}
}

// replayChecked is how many frames are played in empty memory for the sum that they leave.
const replayChecked = 2

// A replayCase is a scene whose frame is replayed.
type replayCase struct {
	recorded
	shrink int

	mu   sync.Mutex
	want uint64 // what replayChecked serial frames leave in empty memory
}

// open returns a replay for so many workers.
func (c *replayCase) open(workers int) *replay {
	return newReplay(c.recorded, roundsPerMillisecond(), c.shrink, workers)
}

// wanted returns what replayChecked frames leave.
func (c *replayCase) wanted() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.want == 0 {
		f := c.open(1)
		for range replayChecked {
			f.run++
			f.serial()
		}
		c.want = f.sum()
	}
	return c.want
}

// verify plays some frames in empty memory, and compares what they leave with serial ones.
func (c *replayCase) verify(f *replay, run func() error) error {
	f.clear()
	for range replayChecked {
		if err := run(); err != nil {
			return err
		}
	}
	if err := f.check(); err != nil {
		return err
	}
	if got, want := f.sum(), c.wanted(); got != want {
		return fmt.Errorf("%d frames have left %x, serial ones %x", replayChecked, got, want)
	}
	return nil
}
