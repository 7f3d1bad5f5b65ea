// Package gate is what the tests of mutants edit.
package gate

import "sync/atomic"

const (
	closed = 1 << 31
	most   = 3
	debug  = false
)

// A Gate lets at most three in until it is closed.
type Gate struct {
	word  atomic.Uint32
	told  atomic.Bool
	looks atomic.Uint32
	sum   int
}

// Enter lets the caller in, unless the gate is full or closed.
func (g *Gate) Enter() bool {
	for {
		v := g.word.Load()
		if v&closed != 0 || v >= most {
			return false
		}
		if g.word.CompareAndSwap(v, v+1) {
			return true
		}
	}
}

// Leave adds n to the sum and lets the caller out.
func (g *Gate) Leave(n int) {
	g.sum += n
	g.word.Add(^uint32(0))
}

// Close closes the gate.
func (g *Gate) Close() {
	g.word.Or(closed)
	g.told.Store(true)
}

// Closed reports whether Close was called.
func (g *Gate) Closed() bool {
	g.look()
	if debug {
		g.told.Store(false)
	}
	return g.told.Load()
}

func (g *Gate) look() { g.looks.Add(1) }

// Reopen opens the gate for those who come; nobody may be inside.
func (g *Gate) Reopen() {
	in := g.word.Load() &^ closed
	for !g.word.CompareAndSwap(in|closed, in) {
	}
	g.told.Store(false)
}
