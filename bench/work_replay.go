package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// frameFamily is the name that -only knows recorded frames by.
const frameFamily = "frame"

// replayTurn is how many times longer than others a turn of frames is: each takes milliseconds.
const replayTurn = 3

// replayScenes are the scenes whose frames are replayed.
var replayScenes = []string{"quarry", "crowd", "mixed"}

// replayWorkloads replay frames of the example frameloop, back to back; a sample is a frame.
func replayWorkloads(z sizes) []*workload {
	var all []*workload
	for _, scene := range replayScenes {
		c := &replayCase{recorded: recordedOf(scene), shrink: pick(z, 1, 10, 100)}
		pieces := 0
		var work time.Duration
		for _, s := range c.steps {
			pieces += len(s.pieces)
			for _, cost := range s.pieces {
				work += cost / time.Duration(c.shrink)
			}
		}
		w := &workload{
			name: "frame-" + scene, unit: "ns/frame", n: pieces, single: true, family: frameFamily,
			wanted: wantQuick,
			title: fmt.Sprintf("a recorded frame of %d steps, %.2g ms of work, back to back; n "+
				"is the number of pieces", len(c.steps), work.Seconds()*1e3),
		}
		for _, p := range replayPeers {
			w.rows = append(w.rows, row{runtime: p.runtime, lang: langGo, free: p.free,
				turn: func(s *session, workers int) (reading, error) {
					return c.turn(s, p, workers)
				}})
		}
		for _, kind := range []struct {
			peer cppPeer
			kind string
		}{{tbb, "loops"}, {tbbTasks, "pieces"}, {tbbSerial, "serial"}} {
			w.rows = append(w.rows, row{runtime: kind.peer.runtime, lang: langCPP,
				turn: func(s *session, workers int) (reading, error) {
					return c.foreignTurn(s, kind.peer, kind.kind, workers)
				}})
		}
		all = append(all, w)
	}
	return all
}

// turn opens a runtime, plays frames and checks what they left.
func (c *replayCase) turn(s *session, p replayPeer, workers int) (r reading, err error) {
	f := c.open(workers)
	with, err := p.open(f, workers)
	if err != nil {
		return r, err
	}
	where := with.within
	if where == nil {
		where = func(loop func(run func() error) error) error { return loop(with.run) }
	}
	err = where(func(run func() error) (err error) {
		one := func() error { f.run++; return run() }
		long := *s
		long.turn = replayTurn * s.turn / 2 // measure doubles it
		if r, err = new(stepCase).measure(&long, with, one); err != nil {
			return err
		}
		return c.verify(f, one)
	})
	if with.close != nil {
		if closed := with.close(); err == nil {
			err = closed
		}
	}
	return r, err
}

// foreignTurn has a C++ program do all that turn does, with the rounds that Go would do.
func (c *replayCase) foreignTurn(s *session, p cppPeer, kind string,
	workers int) (r reading, err error) {
	answer, err := p.ask(s, workers, func(s *session, workers int) (string, error) {
		path := filepath.Join(s.files.dir, fmt.Sprintf("%s-%d.frame", c.scene, workers))
		if _, failed := os.Stat(path); failed != nil {
			if err := cli.WriteFile("frame", path, c.open(workers).write); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("replay workers=%d kind=%s turn=%d most=%d checked=%d want=%d file=%s",
			workers, kind,
			replayTurn*s.turn, maxSamples, replayChecked, int64(c.wanted()), path), nil
	})
	if err != nil {
		return r, err
	}
	for _, ns := range answer {
		r.samples = append(r.samples, float64(ns))
	}
	return r, nil
}

// write writes a replay for the C++ programs: numbers, with blanks between. That of steps; for each
// the number of steps it comes after and those, who feeds it, what it takes in ranges, its urgency,
// and its pieces: rounds, words of memory, and the piece that feeds it.
func (f *replay) write(out io.Writer) error {
	b := bufio.NewWriter(out)
	fmt.Fprintln(b, len(f.steps))
	for i := range f.steps {
		s := &f.steps[i]
		fmt.Fprint(b, len(s.after))
		for _, k := range s.after {
			fmt.Fprint(b, " ", k)
		}
		fmt.Fprintln(b, "", s.source, s.grain, int64(s.urgency), len(s.pieces))
		for k := range s.pieces {
			fmt.Fprintln(b, s.pieces[k].rounds, len(s.pieces[k].mem), s.pieces[k].by)
		}
	}
	return b.Flush()
}
