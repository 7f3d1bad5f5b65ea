package main

import (
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

const (
	pictures = 256
	inView   = 32 // the last ones to be requested
	edge     = 256
	small    = 32

	urgent, later = 0, 1

	maxWorkers = 1024
	rounds     = 5
)

func main() { pool().Main() }

// pool is the command without its process.
func pool() *cli.Command {
	var workers int
	return &cli.Command{
		Name: "pool", Unit: "round",
		About: "Makes thumbnails in a pool of workers that is built from Heddle's lower layers, with " +
			"and\nwithout priorities, and on one thread.",
		Flags: func(fs *flag.FlagSet) {
			fs.IntVar(&workers, "workers", runtime.GOMAXPROCS(0),
				"number of workers, 1 to "+strconv.Itoa(maxWorkers))
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if workers < 1 || workers > maxWorkers {
				return fmt.Errorf("-workers %d: want 1 to %d", workers, maxWorkers)
			}
			return show(ctx, call.Text, workers, call.Progress)
		},
	}
}

// A way is one way to make all thumbnails.
type way struct {
	name string
	make func(workers int) *album
}

var ways = [...]way{
	{"one thread", func(int) *album { return alone() }},
	{"pool without priorities", func(n int) *album { return pooled(n, later) }},
	{"pool with priorities", func(n int) *album { return pooled(n, urgent) }},
}

// An album is what a way has made.
type album struct {
	sum  uint32 // of all thumbnails
	last int    // when the last picture in view was ready: after how many pictures, itself included
}

// show makes the thumbnails in all ways, by turns, and prints a table and what it shows.
func show(ctx context.Context, w io.Writer, workers int, progress *cli.Progress) error {
	var r result
	r.workers, r.equal = workers, true
	var times [len(ways)][]time.Duration
	var lasts [len(ways)][]int
	for round := range rounds {
		for k, way := range ways {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress.At(way.name, round, rounds)
			began := time.Now()
			a := way.make(workers)
			times[k] = append(times[k], time.Since(began))
			lasts[k] = append(lasts[k], a.last)
			if round == 0 && k == 0 {
				r.sum = a.sum
			}
			r.equal = r.equal && a.sum == r.sum
		}
	}
	progress.Clear()
	for k := range ways {
		r.rows[k] = row{median(times[k]), median(lasts[k])}
	}
	log := NewLog(w)
	for _, line := range r.lines() {
		log.Printf("%s", line)
	}
	if err := log.Close(); err != nil {
		return err
	}
	if !r.equal {
		return cli.ErrFailed
	}
	return nil
}

// A thumbnail is a small picture, and its number in the order in which they were ready.
type thumbnail struct {
	pixels [small * small]byte
	order  int
}

// alone makes the thumbnails in the order of the requests.
func alone() *album {
	all := make([]*thumbnail, pictures)
	buf := make([]byte, edge*edge)
	for i := range all {
		all[i] = thumbnailOf(buf, i)
		all[i].order = i
	}
	return albumOf(all)
}

// pooled makes them in a pool, in which the pictures in view have a priority.
func pooled(workers, priority int) *album {
	pool := NewPool(workers, 2)
	buffers := NewBuffers(workers, edge*edge)
	results := make([]Future[*thumbnail], pictures)
	ready := make(chan *thumbnail, pictures)

	for i := range results {
		results[i].OnDone(func(t *thumbnail) { ready <- t })
		p := later
		if i >= pictures-inView {
			p = priority
		}
		pool.Go(p, func() {
			buf := buffers.Get()
			t := thumbnailOf(buf, i)
			buffers.Put(buf)
			results[i].Resolve(t)
		})
	}
	pool.Close()
	for i := range pictures {
		(<-ready).order = i
	}
	all := make([]*thumbnail, pictures)
	for i := range results {
		results[i].OnDone(func(t *thumbnail) { all[i] = t }) // it is resolved: called at once
	}
	return albumOf(all)
}

func albumOf(all []*thumbnail) *album {
	var a album
	for i, t := range all {
		if i >= pictures-inView {
			a.last = max(a.last, t.order+1)
		}
		a.sum = crc32.Update(a.sum, crc32.IEEETable, t.pixels[:])
	}
	return &a
}

// thumbnailOf paints picture number i and shrinks it.
func thumbnailOf(buf []byte, i int) *thumbnail {
	t := new(thumbnail)
	paint(buf, i)
	shrink(t.pixels[:], buf)
	return t
}

// paint makes picture number i.
func paint(pixels []byte, i int) {
	for y := range edge {
		for x := range edge {
			pixels[y*edge+x] = byte((x*x+i*y)>>4 ^ y)
		}
	}
}

// shrink sets each pixel to the mean of a square of from.
func shrink(to, from []byte) {
	const step = edge / small
	for y := range small {
		for x := range small {
			sum := 0
			for row := range step {
				for _, p := range from[(y*step+row)*edge+x*step:][:step] {
					sum += int(p)
				}
			}
			to[y*small+x] = byte(sum / (step * step))
		}
	}
}
