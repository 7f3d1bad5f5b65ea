package namedthread

import "github.com/heddle-go/heddle/internal/atomics"

// A Token is the right to end one pump. [Thread.NewToken] makes one,
// [Thread.PumpUntilReturn] pumps until it is returned with [Thread.RequestReturn].
//
// A Token serves one pump. Returned early, it ends that pump before it begins; returned late,
// it ends nothing, and a pump that is given a token which has served returns at once. Tokens
// can be compared and copied. The zero Token belongs to no thread.
type Token struct {
	cell *tokenCell
	gen  uint64
}

// A tokenCell is the shared state of one token at a time.
type tokenCell struct {
	// The number of tokens that the cell has served, and below it a bit that says whether the
	// present one was returned. Only the owner of the thread changes the number, when the pump
	// ends; so a late return finds another number and changes nothing.
	word   atomics.Uint64
	thread *Thread
}

// requested reports whether the pump that waits for the token has to end.
func (k Token) requested() bool { return k.cell.word.Load() != k.gen<<1 }

// NewToken returns a token for a pump of t. Any goroutine may call it. Up to two tokens whose
// pumps are over are kept to be used again; where there is none, NewToken allocates. See
// [Thread.PumpUntilReturn].
func (t *Thread) NewToken() Token {
	t.mustBe("NewToken")
	for i := range t.spare {
		// Whoever takes a cell out owns it, even if it was used in between.
		if c := t.spare[i].Load(); c != nil && t.spare[i].CompareAndSwap(c, nil) {
			return Token{cell: c, gen: c.word.Load() >> 1}
		}
	}
	return Token{cell: &tokenCell{thread: t}}
}

// RequestReturn ends the pump that waits for the token, or will: no further work is begun by it
// than what it has just taken to run. Work that is left stays for the next pump. It may be called
// any number of times. It panics if the token is not one of t.
func (t *Thread) RequestReturn(k Token) {
	t.mustBe("RequestReturn")
	t.checkToken(k)
	if k.cell.word.CompareAndSwap(k.gen<<1, k.gen<<1|1) { // LP(RequestReturn)
		t.inbox.trigger()
	}
}

// retire ends the life of a token whose pump is over.
func (t *Thread) retire(k Token) {
	if k.cell.word.Load()>>1 != k.gen {
		return // another pump was given the same token and is over
	}
	k.cell.word.Store((k.gen + 1) << 1)
	for i := range t.spare {
		if t.spare[i].CompareAndSwap(nil, k.cell) {
			return
		}
	}
}

func (t *Thread) checkToken(k Token) {
	if k.cell == nil || k.cell.thread != t {
		panic("namedthread: token of another thread")
	}
}
