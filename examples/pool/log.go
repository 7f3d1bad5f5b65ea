package main

import (
	"fmt"
	"io"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
)

// A Log prints lines on its own goroutine, so that logging never waits for a file. Only one
// goroutine may use it at once.
type Log struct {
	lines lockfree.SPSCQueue[entry]
	more  *sleepevent.Signal
	done  *sleepevent.Signal
	err   error // written before done is triggered
}

// An entry is a line, or the end of the log.
type entry struct {
	text string
	last bool
}

// NewLog returns a Log that prints to w.
func NewLog(w io.Writer) *Log {
	l := &Log{more: sleepevent.NewSignal(sleepevent.Options{}),
		done: sleepevent.NewSignal(sleepevent.Options{})}
	go l.print(w)
	return l
}

// Printf logs a line.
func (l *Log) Printf(format string, args ...any) {
	l.lines.Push(entry{text: fmt.Sprintf(format, args...)})
	l.more.Trigger() // after the line is in the queue; a wait that follows returns at once
}

// Close waits until all lines are printed, and returns the first error.
func (l *Log) Close() error {
	l.lines.Push(entry{last: true})
	l.more.Trigger()
	l.done.Wait()
	return l.err
}

func (l *Log) print(w io.Writer) {
	defer l.done.Trigger()
	for {
		for e := range l.lines.Drain() {
			if e.last {
				return
			}
			if _, err := fmt.Fprintln(w, e.text); err != nil && l.err == nil {
				l.err = err
			}
		}
		l.more.Wait()
	}
}
