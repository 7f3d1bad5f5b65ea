package main

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/heddle-go/heddle/taskgraph"
)

// weightsOf returns matrices that no program writes, made once.
func weightsOf(layers, each int) [][]float32 {
	size := [2]int{layers, each}
	if made, ok := allWeights.Load(size); ok {
		return made.([][]float32)
	}
	random := rand.New(rand.NewPCG(7, 11))
	fresh := make([][]float32, layers)
	for l := range fresh {
		fresh[l] = make([]float32, each)
		for i := range fresh[l] {
			fresh[l][i] = random.Float32() - 0.5
		}
	}
	made, _ := allWeights.LoadOrStore(size, fresh)
	return made.([][]float32)
}

var allWeights sync.Map

// decodeProgram makes tokens by a transformer: in each layer the heads' vectors, attention over the
// last tokens, and two more products.
func decodeProgram(layers, width int) *app {
	const heads, window = 8, 64
	weights := weightsOf(layers, 12*width*width)
	x, tokens := make([]float32, width), 0
	for i := range x {
		x[i] = float32(i%13)/13 - 0.5
	}
	norm, qkv, mixed, hidden := make([]float32, width), make([]float32, 3*width), make([]float32,
		width), make([]float32, 4*width)
	normalize := func() {
		scale := 1 / float32(math.Sqrt(float64(dot(x, x)/float32(width))+1e-6))
		for i, v := range x {
			norm[i] = scale * v
		}
	}
	// product is y = A norm, or y += A of something, for rows of a matrix.
	product := func(y, a, of []float32, add bool) phase {
		shrink := 1 / float32(math.Sqrt(float64(len(of))))
		return phase{n: len(y), body: func(lo, hi int) {
			for r := lo; r < hi; r++ {
				v := shrink * dot(a[r*len(of):(r+1)*len(of)], of)
				if add {
					y[r] = 0.9*y[r] + v
				} else {
					y[r] = v
				}
			}
		}}
	}
	p := &app{sum: func() uint64 { return sumOf32(0, x) }}
	for l := range layers {
		w := weights[l]
		keys, values := make([]float32, window*width), make([]float32, window*width)
		size := width / heads
		p.phases = append(p.phases,
			alone(normalize),
			product(qkv, w[:3*width*width], norm, false),
			alone(func() {
				at := tokens % window * width
				copy(keys[at:at+width], qkv[width:2*width])
				copy(values[at:at+width], qkv[2*width:])
			}),
			phase{n: heads, grain: 1, body: func(lo, hi int) {
				for h := lo; h < hi; h++ {
					var whole float32
					out := mixed[h*size : (h+1)*size]
					clear(out)
					for t := range min(tokens+1, window) {
						at := t*width + h*size
						score := dot(qkv[h*size:(h+1)*size], keys[at:at+size])
						score = 1 + score*score // in place of an exponential
						whole += score
						for i, v := range values[at : at+size] {
							out[i] += score * v
						}
					}
					for i := range out {
						out[i] /= whole
					}
				}
			}},
			product(x, w[3*width*width:4*width*width], mixed, true),
			alone(normalize),
			product(hidden, w[4*width*width:8*width*width], norm, false),
			alone(func() {
				for i, v := range hidden {
					hidden[i] = max(0, v)
				}
			}),
			product(x, w[8*width*width:], hidden, true),
		)
	}
	p.phases = append(p.phases, alone(func() { tokens++ }))
	return p
}

// A fours is a board of Connect Four: the stones of who moves and of the other, 7 bits a column of
// 6.
type fours struct{ mine, theirs uint64 }

// play returns the board after a stone in a column, seen by the other; ok is false where the column
// is full.
func (b fours) play(column int) (after fours, ok bool) {
	all := b.mine | b.theirs
	stone := (all + 1<<(7*column)) &^ all & (0x3f << (7 * column))
	return fours{b.theirs, b.mine | stone}, stone != 0
}

// lost tells whether who moved last has four in a row.
func (b fours) lost() bool {
	for _, d := range [4]int{1, 6, 7, 8} {
		two := b.theirs & (b.theirs >> d)
		if two&(two>>(2*d)) != 0 {
			return true
		}
	}
	return false
}

// count is the number of games of so many more moves, or to the end before.
func (b fours) count(depth int) (games int64) {
	if depth == 0 || b.lost() {
		return 1
	}
	for column := range 7 {
		if next, ok := b.play(column); ok {
			games += next.count(depth - 1)
		}
	}
	return games
}

// A search is a board, how deep to count from it, how many moves of that fork, and what came of it.
type search struct {
	fours
	depth, forks int
	games        int64
}

func countByForks(c *taskgraph.Context, s *search) {
	if s.forks == 0 || s.lost() {
		s.games = s.count(s.depth)
		return
	}
	var kids taskgraph.Forks[search]
	for column := range 7 {
		if next, ok := s.play(column); ok {
			kids.Fork(c, countByForks, search{fours: next, depth: s.depth - 1, forks: s.forks - 1})
		}
	}
	for kid := range kids.Results() {
		s.games += kid.games
	}
}

// perftProgram counts from another opening in each step.
func perftProgram(depth int) *app {
	var root fours
	var step, total uint64
	var found [49]int64
	open := alone(func() {
		root = fours{}
		for moves := step % 343; moves > 0; moves /= 7 {
			root, _ = root.play(int(moves % 7))
		}
		step++
	})
	after := func(i int) int64 {
		one, ok := root.play(i / 7)
		if !ok {
			return 0
		}
		if one.lost() { // one game, counted with its first answer
			return int64(max(0, 1-i%7))
		}
		two, ok := one.play(i % 7)
		if !ok {
			return 0
		}
		return two.count(depth - 2)
	}
	return &app{
		phases: []phase{
			open,
			{n: len(found), grain: 1, body: func(lo, hi int) {
				for i := lo; i < hi; i++ {
					found[i] = after(i)
				}
			}, forks: func(c *taskgraph.Context) {
				s := search{fours: root, depth: depth, forks: 2}
				countByForks(c, &s)
				found = [49]int64{s.games}
			}},
			alone(func() {
				var games int64
				for _, n := range found {
					games += n
				}
				total = total*31 + uint64(games)
			}),
		},
		sum: func() uint64 { return total },
	}
}
