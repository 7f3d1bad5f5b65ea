// Package user has no word of its own: it instantiates the generic code of another package,
// as a program that uses Heddle does.
package user

import "github.com/heddle-go/heddle/internal/atomics/testdata/words"

type local struct {
	name string
	next *local
}

// A Program holds generic types of another package.
type Program struct {
	links  words.Stack[*local]
	names  words.Stack[local]
	number words.Stack[int8]
	ring   words.Ring[uint64]
	plain  words.Fields
}

func (p *Program) Links(v *local) (*local, bool) {
	p.links.Push(v)
	p.links.Words(v)
	if p.links.PopAll() != nil {
		return nil, false
	}
	return p.links.Pop()
}

func (p *Program) Names(v local) (local, bool) {
	p.names.Push(v)
	p.names.Words(v)
	if p.names.PopAll() != nil {
		return v, false
	}
	return p.names.Pop()
}

func (p *Program) Number(v int8) (int8, bool) {
	p.number.Push(v)
	p.number.Words(v)
	if p.number.PopAll() != nil {
		return v, false
	}
	return p.number.Pop()
}

func (p *Program) Ring(v uint64) (uint64, bool) {
	p.ring.Push(v)
	return p.ring.Steal()
}

func (p *Program) Plain(v uint64) uint64 {
	words.Uint64Or(&p.plain.Uint64, v)
	return words.Uint64Add(&p.plain.Uint64, p.plain.Loop(v))
}
