package main

import (
	"fmt"
	"io"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
)

// A Log prints lines in a goroutine of its own, so that the one that logs waits for no file. One
// goroutine at a time may use it.
type Log struct {
	lines lockfree.SPSCQueue[string]
	more  *sleepevent.Signal
	done  *sleepevent.Signal
	err   error // written before done is triggered
}

// NewLog returns a Log that prints to w.
func NewLog(w io.Writer) *Log {
	l := &Log{more: sleepevent.NewSignal(sleepevent.Options{}),
		done: sleepevent.NewSignal(sleepevent.Options{})}
	go l.print(w)
	return l
}

// Printf logs a line that is not empty.
func (l *Log) Printf(format string, args ...any) {
	l.lines.Push(fmt.Sprintf(format, args...))
	l.more.Trigger() // after the line is in the queue; a wait that follows returns at once
}

// Close waits until all is printed, and reports whether that went well.
func (l *Log) Close() error {
	l.lines.Push("") // the last
	l.more.Trigger()
	l.done.Wait()
	return l.err
}

func (l *Log) print(w io.Writer) {
	defer l.done.Trigger()
	for {
		for line := range l.lines.Drain() {
			if line == "" {
				return
			}
			if _, err := fmt.Fprintln(w, line); err != nil && l.err == nil {
				l.err = err
			}
		}
		l.more.Wait()
	}
}
