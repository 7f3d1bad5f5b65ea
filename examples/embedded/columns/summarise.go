package columns

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

const (
	blockSize = 64 << 10 // bytes, but for the rest of the last line
	ahead     = 8        // how many blocks may be read and not be summarised
)

// Summarise summarises each column of a text of lines without a header, in which numbers stand
// between commas; empty fields are left out. The blocks of the text are tasks of a system, a
// Context or a Participant; if on is nil they are summarised on the calling goroutine, with the
// same result. If ctx ends before, it returns an error that wraps the cause. Nothing of it runs
// when it returns. It reads on the calling goroutine: a body whose r blocks for long calls it in
// Context.Blocking.
func Summarise(ctx context.Context, on parallel.Launcher, r io.Reader) ([]Summary, error) {
	s := summariser{ctx: ctx, on: on}
	err := s.read(bufio.NewReader(r))
	for len(s.under) > 0 { // also after a failure: the tasks use memory of this call
		if fail := s.finish(); err == nil {
			err = fail
		}
	}
	if err != nil {
		return nil, err
	}
	return s.total, nil
}

// A summariser is a call of Summarise.
type summariser struct {
	ctx   context.Context
	on    parallel.Launcher
	under []*block // under way, in the order of the text
	free  []*block
	total []Summary
}

// read launches blocks until the text or the context ends, or one fails.
func (s *summariser) read(r *bufio.Reader) error {
	for {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if len(s.under) == ahead {
			if err := s.finish(); err != nil {
				return err
			}
		}
		b := s.take()
		n, err := io.ReadFull(r, b.text[:blockSize])
		b.text = b.text[:n]
		if err == nil {
			var rest []byte
			rest, err = r.ReadBytes('\n')
			b.text = append(b.text, rest...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		default:
			return err
		}
		if fail := s.launch(b); fail != nil || err != nil {
			return fail // or the text has ended
		}
	}
}

// take returns a block that no task uses.
func (s *summariser) take() *block {
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free = s.free[:n-1]
		return b
	}
	return &block{text: make([]byte, blockSize)}
}

// launch has a block summarised: by a task, or alone.
func (s *summariser) launch(b *block) error {
	if s.on == nil {
		if err := b.summarise(); err != nil {
			return err
		}
		s.merge(b)
		return nil
	}
	b.event = s.on.Task(taskgraph.RunJob(b)).Context(s.ctx).Launch()
	s.under = append(s.under, b)
	return nil
}

// finish waits for the oldest block. A context that ends does not end the wait, since the task may
// be at work on the block: it ends tasks that have not begun.
func (s *summariser) finish() error {
	b := s.under[0]
	s.under = append(s.under[:0], s.under[1:]...)
	if err := s.on.WaitUntilTasksComplete(context.Background(), b.event); err != nil {
		return err
	}
	s.merge(b)
	return nil
}

// merge adds what a block has counted, in the order of the text: so sums are always the same.
func (s *summariser) merge(b *block) {
	for i, c := range b.columns {
		if len(s.total) == i {
			s.total = append(s.total, Summary{})
		}
		s.total[i].add(c)
	}
	s.free = append(s.free, b)
}
