package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
)

const (
	pictures = 256
	inView   = 32 // the last ones, which are asked for after all others
	edge     = 256
	small    = 32

	urgent, later = 0, 1
)

func main() {
	if err := run(os.Stdout, runtime.GOMAXPROCS(0)); err != nil {
		fmt.Fprintln(os.Stderr, "pool:", err)
		os.Exit(1)
	}
}

// A made picture is a small one, and its number in the order in which they were ready.
type made struct {
	pixels [small * small]byte
	order  int
}

func run(w io.Writer, workers int) error {
	log := NewLog(w)
	pool := NewPool(workers, 2)
	buffers := NewBuffers(workers, edge*edge)
	results := make([]Future[*made], pictures)
	ready := make(chan *made, pictures) // in the order in which they are

	for i := range results {
		results[i].OnDone(func(m *made) { ready <- m })
		priority := later
		if i >= pictures-inView {
			priority = urgent
		}
		pool.Go(priority, func() {
			buf := buffers.Get()
			paint(buf, i)
			m := new(made)
			shrink(m.pixels[:], buf)
			buffers.Put(buf)
			results[i].Resolve(m)
		})
	}
	pool.Close()
	for i := range pictures {
		(<-ready).order = i
	}

	before, sum := 0, uint32(0)
	for i := range results {
		results[i].OnDone(func(m *made) { // it is there: at once
			if i >= pictures-inView && m.order < pictures/2 {
				before++
			}
			sum = crc32.Update(sum, crc32.IEEETable, m.pixels[:])
		})
	}
	log.Printf("%d of %d pictures in view were in the first half of %d", before, inView, pictures)
	log.Printf("checksum %08x", sum)
	return log.Close()
}

// paint makes picture number i.
func paint(pixels []byte, i int) {
	for y := range edge {
		for x := range edge {
			pixels[y*edge+x] = byte((x*x+i*y)>>4 ^ y)
		}
	}
}

// shrink makes each pixel the mean of a square of from.
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
