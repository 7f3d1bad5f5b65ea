package loopbuffer

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/heddle-go/heddle/taskgraph"
)

func use([]byte) {}

func read(sys *taskgraph.System, r io.Reader) (events []taskgraph.Event) {
	buf := make([]byte, 4096)
	for {
		if _, err := io.ReadFull(r, buf); err != nil {
			return events
		}
		events = append(events, sys.Go(func() { use(buf) })) // want `ReadFull fills it`
	}
}

func scan(sys *taskgraph.System, sc *bufio.Scanner) {
	for sc.Scan() {
		line := sc.Bytes()
		sys.Go(func() { use(line) }) // want `uses line, .* Scanner.Bytes returns memory`
	}
}

func batches(sys *taskgraph.System, in []int, g *taskgraph.Group) {
	var batch []int
	for _, v := range in {
		batch = append(batch, v)
		if len(batch) == 64 {
			g.Go(sys, func() { println(batch[0]) }) // want `memory is used again`
			batch = batch[:0]
		}
	}
}

func results(b *taskgraph.GraphBuilder, in [][]byte) {
	out := make([]byte, 64)
	for _, v := range in {
		copy(out, v)
		b.Task(taskgraph.Do(func() { // a graph that runs later sees the last one only
			out[0]++ // want `uses out, .* copy fills it`
			use(out)
		}))
	}
}

func buffer(sys *taskgraph.System, in [][]byte) {
	var b bytes.Buffer
	for _, v := range in {
		b.Reset()
		b.Write(v)
		sys.Go(func() { use(b.Bytes()) }) // want `uses b, .* Reset empties it`
	}
}

// What follows is right.

func waits(ctx context.Context, sys *taskgraph.System, r io.Reader) error {
	buf := make([]byte, 4096)
	for {
		if _, err := io.ReadFull(r, buf); err != nil {
			return err
		}
		e := sys.Go(func() { use(buf) })
		if err := sys.WaitUntilTasksComplete(ctx, e); err != nil {
			return err
		}
	}
}

func fresh(sys *taskgraph.System, r io.Reader) {
	for {
		buf := make([]byte, 4096)
		if _, err := io.ReadFull(r, buf); err != nil {
			return
		}
		sys.Go(func() { use(buf) })
	}
}

func elements(sys *taskgraph.System, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
		sys.Go(func() { out[i] = i })
	}
	return out
}

func once(sys *taskgraph.System, r io.Reader) {
	buf := make([]byte, 4096)
	for {
		if n, _ := r.Read(buf); n > 0 {
			sys.Go(func() { use(buf) })
			return
		}
	}
}

func helper(sys *taskgraph.System, r io.Reader, done func(taskgraph.Event)) {
	buf := make([]byte, 4096)
	for {
		if _, err := io.ReadFull(r, buf); err != nil {
			return
		}
		done(sys.Go(func() { use(buf) })) // it may wait
	}
}

func text(sys *taskgraph.System, sc *bufio.Scanner) {
	for sc.Scan() {
		line := sc.Text()
		sys.Go(func() { println(line) })
	}
}

func appended(sys *taskgraph.System, in []int) []int {
	var all []int
	for _, v := range in {
		all = append(all, v)
		rest := all[:len(all):len(all)]
		sys.Go(func() { println(len(rest)) })
	}
	return all
}

func copied(sys *taskgraph.System, sc *bufio.Scanner) {
	for sc.Scan() {
		line := sc.Bytes()
		line = append([]byte(nil), line...)
		sys.Go(func() { use(line) })
	}
}

// The task says when the buffer may be used again.
func handshake(sys *taskgraph.System, free chan bool, r io.Reader) {
	buf := make([]byte, 4096)
	for range free {
		if _, err := io.ReadFull(r, buf); err == nil {
			sys.Go(func() { use(buf); free <- true })
		}
	}
}

func length(sys *taskgraph.System, r io.Reader) {
	buf := make([]byte, 4096)
	for {
		if _, err := io.ReadFull(r, buf); err != nil {
			return
		}
		sys.Go(func() { println(len(buf)) })
	}
}
