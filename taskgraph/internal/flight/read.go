package flight

import "time"

// An Entry is a record as it was read.
type Entry struct {
	Kind   Kind
	Shared bool  // At is that of an earlier entry
	Ticks  int64 // since the clock began
	Key    Key
	Extra  uint64
	Other  uint64
}

// A Reading is what a lane held.
type Reading struct {
	Name    string
	Kind    uint8
	Index   uint64
	Lost    uint64
	Entries []Entry
}

// Began is the time from which ticks count.
func (g *Log) Began() time.Time { return g.clock.began }

// Now returns the ticks of this moment and how many nanoseconds one is.
func (g *Log) Now() (ticks int64, scale float64) {
	if g.clock.steps {
		return g.clock.step.Load(), 1
	}
	return g.clock.tick(), g.clock.scale()
}

// Read returns what all lanes hold.
func (g *Log) Read() []Reading {
	var all []Reading
	for l := g.lanes.Load(); l != nil; l = l.next {
		r := Reading{Kind: l.kind, Index: l.index}
		if name := l.name.Load(); name != nil {
			r.Name = *name
		}
		parts := l.ring.read()
		if len(parts) > 0 {
			r.Lost = parts[0].before
		}
		for _, p := range parts {
			for i := 0; i < len(p.slots); i++ {
				s := p.slots[i]
				e := Entry{Kind: Kind(s.a >> kindShift), Shared: s.a&coarse != 0,
					Ticks: int64(s.a & stampMask), Key: Key(s.b)}
				if i+1 < len(p.slots) && Kind(p.slots[i+1].a>>kindShift) == more {
					i++
					e.Extra, e.Other = p.slots[i].a&highMask, p.slots[i].b
				}
				r.Entries = append(r.Entries, e)
			}
		}
		all = append(all, r)
	}
	return all
}

// Text returns a name in words, or "" if it is no longer known.
func (g *Log) Text(n Name) string { return g.text(n) }

// GraphOf returns what is known of a graph, or nil.
func (g *Log) GraphOf(number uint64) *Graph {
	if d := g.graphs[number%graphs].Load(); d != nil && d.Number == number {
		return d
	}
	return nil
}

// Level returns what a priority is called.
func (g *Log) Level(prio uint8) string {
	if g.level == nil {
		return ""
	}
	return g.level(prio)
}
