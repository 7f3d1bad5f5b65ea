package frame

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A pass is all frames once more in the split order, from the beginning, with an empty table.
type pass struct {
	c     *contestant
	stats store.Stats
	left  int   // files that the system kept in memory
	why   error // it cannot be told of all
}

// readTwice plays with files that are read from the disk, and with the same files when the system
// has them in memory, which is where they are after the first time.
func (m *measurement) readTwice(ctx context.Context, o options, show *cli.Progress) (err error) {
	if o.models == nil {
		return nil
	}
	m.cold, m.warm = &pass{}, &pass{}
	m.cold.left, m.cold.why = o.models.forget()
	for name, p := range map[string]*pass{"cold": m.cold, "warm": m.warm} {
		if p.c, err = m.order(o, name, scene.Split, nil); err != nil {
			return err
		}
	}
	defer show.Clear()
	for _, p := range []*pass{m.cold, m.warm} {
		show.At(p.c.name, 0, o.frames)
		if err := errors.Join(p.c.slice(ctx, 0, o.frames, o.keepGoing),
			p.c.play.finish()); err != nil {
			return fmt.Errorf("%s: %w", p.c.name, err)
		}
		p.stats = p.c.world.librarian.stats
	}
	return nil
}

// close ends the players.
func (p *pass) close() error {
	if p == nil || p.c == nil {
		return nil
	}
	return p.c.play.close()
}

// fault tells what is wrong with a file, once, whoever needs it. It is called between frames.
func (m *measurement) fault(f *store.Fault) {
	if m.faults[f.Name] == nil {
		m.faults[f.Name] = f
		m.told(f.Error() + "; a placeholder stands for it")
	}
}

// outcomes returns what a contestant has found in its files.
func (c *contestant) outcomes() outcomes {
	if c.world.librarian != nil {
		return c.world.librarian.known
	}
	return outcomesOf(c.world.library.store)
}

// changed returns a file that was not the same for all, which then have not played the same; empty
// if there is none.
func (m *measurement) changed() string {
	if m.cold == nil {
		return ""
	}
	all := append(m.all(), m.cold.c, m.warm.c)
	for i, c := range all {
		for _, d := range all[:i] {
			if name := c.outcomes().differ(d.outcomes()); name != "" {
				return name
			}
		}
	}
	return ""
}

// filesRead prints what reading cost in both passes.
func (r *report) filesRead(line func(format string, args ...any), o options, m *measurement) {
	line("")
	line("%-24s %8s %8s %8s %8s %8s %8s  %s",
		fmt.Sprintf("%d models, %d KiB kept", len(o.models.names), o.budget),
		"files", "KiB", "p50, ms", "p99, ms", "parse", "late", "")
	for _, p := range []*pass{m.cold, m.warm} {
		name, s := "warm page cache", p.stats
		frames := quantilesOf(p.c.times)
		note := fmt.Sprintf("frames %.2f ms at p50, %.2f at p99", figures.MS(frames.p50),
			figures.MS(frames.p99))
		if p == m.cold {
			name = "cold page cache"
			switch {
			case p.why != nil:
				name = "first time"
				note += "; how many files were in memory is unknown: " + p.why.Error()
			case p.left > 0:
				name = "first time"
				note += fmt.Sprintf("; %d files were still in memory", p.left)
			}
		}
		read := figures.Quantiles(s.Times, 0.5, 0.99)
		line("%-24s %8d %8d %8.3f %8.3f %8.3f %8d  %s", name, s.Read, s.Bytes>>10,
			figures.MS(read[0]), figures.MS(read[1]),
			figures.MS(s.Parsing/time.Duration(max(s.Read, 1))),
			p.c.world.library.late, note)
	}
	here, missing := m.warm.c.world.SitesHere()
	s := m.warm.stats
	line("%-24s %8d  %s", "requests", s.Asked, fmt.Sprintf(
		"%d were in the table, %d shared another request's read, %d were cancelled unread; at "+
			"most %d KiB were kept, and %d models were dropped",
		s.Found, s.Asked-s.Found-s.Cancelled-s.Read, s.Cancelled, s.Most>>10, s.Dropped))
	line("%-24s %8d  %s", "props at the end", here, fmt.Sprintf("%d of them placeholders", missing))
}
