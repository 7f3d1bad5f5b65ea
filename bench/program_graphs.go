package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// audioFrames is the length of a block.
const audioFrames = 64

// An audioNode has a block of sound to give.
type audioNode struct {
	out   [audioFrames]float32
	ins   []*audioNode
	phase [6]float32
	step  float32
	state [8]float32
	line  []float32
	at    int
}

// audioProgram is voices of two oscillators, a mix, a filter, a distortion and an echo, summed by
// eights, then a master.
func audioProgram(voices int) *app {
	var all []*audioNode
	ph := phase{}
	var preds [][]uint32
	add := func(render func(n *audioNode), ins ...uint32) uint32 {
		n := &audioNode{step: 0.005 + 0.0007*float32(len(all)),
			line: make([]float32, 600+7*len(all))}
		for _, i := range ins {
			n.ins = append(n.ins, all[i])
		}
		all, preds = append(all, n), append(preds, ins)
		ph.tasks = append(ph.tasks, func() { render(n) })
		return uint32(len(all) - 1)
	}
	// Voices are added stage by stage, so that the serial order has no advantage of its own.
	voice := make([]uint32, voices)
	buses := make([]uint32, (voices+7)/8)
	left, right := make([]uint32, voices), make([]uint32, voices)
	for v := range voice {
		left[v], right[v] = add((*audioNode).oscillate), add((*audioNode).oscillate)
	}
	for v := range voice {
		voice[v] = add((*audioNode).mix, left[v], right[v])
	}
	for _, stage := range []func(*audioNode){(*audioNode).filter, (*audioNode).distort,
		(*audioNode).echo} {
		for v := range voice {
			voice[v] = add(stage, voice[v])
		}
	}
	for i := range buses {
		buses[i] = add((*audioNode).mix, voice[8*i:min(voices, 8*i+8)]...)
	}
	master := add((*audioNode).distort, add((*audioNode).mix, buses...))
	ph.n, ph.g = len(all), newShape("audio", preds)
	sum := func() (sum uint64) {
		for _, n := range all {
			sum = sumOf32(sumOf32(sumOf32(sum, n.phase[:]), n.state[:]), n.line)
		}
		return sumOf32(sum, all[master].out[:])
	}
	return &app{phases: []phase{ph}, sum: sum}
}

// oscillate adds some partials.
func (n *audioNode) oscillate() {
	for i := range n.out {
		var sum float32
		for k := range n.phase {
			n.phase[k] += n.step * float32(k+1)
			if n.phase[k] >= 1 {
				n.phase[k] -= 2
			}
			x := n.phase[k]
			a := x
			if a < 0 {
				a = -a
			}
			sum += 4 * x * (1 - a) / float32(k+1) // nearly a sine
		}
		n.out[i] = 0.3 * sum
	}
}

func (n *audioNode) mix() {
	gain := 1 / float32(len(n.ins))
	clear(n.out[:])
	for _, in := range n.ins {
		for i, v := range in.out {
			n.out[i] += gain * v
		}
	}
}

// filter is of the second order, four times.
func (n *audioNode) filter() {
	in, s := n.ins[0], &n.state
	for i, v := range in.out {
		for k := 0; k < len(s); k += 2 {
			s[k] += 0.2 * s[k+1]
			high := v - s[k] - 0.7*s[k+1]
			s[k+1] += 0.2 * high
			v = s[k]
		}
		n.out[i] = v
	}
}

func (n *audioNode) distort() {
	for i, v := range n.ins[0].out {
		x := 2 * v
		for range 8 {
			a := x
			if a < 0 {
				a = -a
			}
			x = 1.5 * x / (1 + a)
		}
		n.out[i] = x
	}
}

func (n *audioNode) echo() {
	for i, v := range n.ins[0].out {
		v = 0.7*v + 0.3*n.line[n.at]
		n.line[n.at] = 0.6*v + 0.2*n.state[0]
		n.state[0] = v
		if n.at++; n.at == len(n.line) {
			n.at = 0
		}
		n.out[i] = v
	}
}

// ecsSystems are the components, by letters, that each system reads, and those that it writes.
var ecsSystems = [20][2]string{
	{"", "a"}, {"", "b"}, {"a", "c"}, {"b", "d"}, {"a", "e"}, {"b", "f"}, {"cd", "g"}, {"e", "h"},
	{"f", "i"}, {"d", "j"},
	{"gh", "k"}, {"i", "l"}, {"j", "c"}, {"ge", "a"}, {"k", "h"}, {"l", "b"}, {"jf", "d"},
	{"ac", "e"}, {"bd", "f"}, {"kl", "g"},
}

// ecsProgram has components in slices, and systems that go over them.
func ecsProgram(entities int) *app {
	components := map[byte][]float32{}
	for _, sys := range ecsSystems {
		column := make([]float32, entities)
		for i := range column {
			column[i] = float32(i%97) / 97
		}
		components[sys[1][0]] = column
	}
	ph := phase{n: len(ecsSystems)}
	preds := make([][]uint32, len(ecsSystems))
	for i, sys := range ecsSystems {
		to := components[sys[1][0]]
		from := [2][]float32{to, to}
		for k := range sys[0] {
			from[k] = components[sys[0][k]]
		}
		ph.tasks = append(ph.tasks, func() {
			one, two := from[0][:len(to)], from[1][:len(to)]
			for e, v := range to {
				x := v + 0.01*(one[e]-two[e]) + 0.1
				if x > 1 {
					x -= 1
				}
				for range 3 {
					x = x * (1.2 - 0.2*x) / (1 + 0.1*x*one[e])
				}
				to[e] = x
			}
		})
		// After all that this one conflicts with, of those added before.
		for before, other := range ecsSystems[:i] {
			shared := func(a, b string) bool {
				return slices.ContainsFunc([]byte(a), func(c byte) bool {
					return slices.Contains([]byte(b), c)
				})
			}
			if shared(other[1], sys[0]+sys[1]) || shared(other[0], sys[1]) {
				preds[i] = append(preds[i], uint32(before))
			}
		}
	}
	ph.g = newShape("ecs", preds)
	ph.uses = func(i int) (read, wrote []any) {
		for k := range ecsSystems[i][0] {
			read = append(read, ecsSystems[i][0][k:k+1])
		}
		return read, []any{ecsSystems[i][1]}
	}
	return &app{phases: []phase{ph}, sum: func() (sum uint64) {
		for c := byte('a'); c <= 'l'; c++ {
			sum = sumOf32(sum, components[c])
		}
		return sum
	}}
}

// solveProgram solves L x = b, whose blocks have so many rows; the next b is what x was, and a
// little more.
func solveProgram(blocks, size int) *app {
	random := rand.New(rand.NewPCG(3, 5))
	b, x := make([]float32, blocks*size), make([]float32, blocks*size)
	for i := range b {
		b[i] = random.Float32()
	}
	tile := func(scale float32) []float32 {
		t := make([]float32, size*size)
		for i := range t {
			t[i] = scale * (random.Float32() - 0.5)
		}
		return t
	}
	ph := phase{n: blocks}
	var preds [][]uint32
	for i := range blocks {
		var before []uint32
		for range min(i, 1+random.IntN(4)) {
			before = append(before, uint32(max(0, i-48)+random.IntN(min(i, 48))))
		}
		before = unique(before)
		tiles := make([][]float32, len(before))
		for k := range tiles {
			tiles[k] = tile(0.2)
		}
		own := tile(0.2)
		preds = append(preds, before)
		ph.tasks = append(ph.tasks, func() {
			mine, rhs := x[i*size:(i+1)*size], b[i*size:(i+1)*size]
			for r := range mine {
				v := rhs[r]
				for k, j := range before {
					v -= dot(tiles[k][r*size:(r+1)*size], x[int(j)*size:(int(j)+1)*size])
				}
				mine[r] = v - dot(own[r*size:r*size+r], mine[:r])
			}
			for r, v := range mine {
				rhs[r] = 0.5*v + 0.3*float32(math.Sqrt(float64(v*v)+0.1))
			}
		})
	}
	ph.g = newShape("solve", preds)
	return &app{phases: []phase{ph}, sum: func() uint64 { return sumOf32(sumOf32(0, x), b) }}
}
