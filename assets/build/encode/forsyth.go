package encode

import (
	"math"
	"slices"
)

// The order of triangles is that of Tom Forsyth, "Linear-Speed Vertex Cache Optimisation", 2006:
// the next triangle is the one whose vertices have the highest score, which a vertex has for being
// in a model of the cache, and for having few triangles left. The constants are his. Departures:
// scores are integers, so that they are the same on each machine, whatever it does with the last
// bit of a float; where no triangle has a vertex in the cache, the next one is the first that is
// left, not the best of all; and of a vertex with very many triangles only some are looked at. So
// the time is linear for any mesh.

// cacheSize is how many vertices the model of the cache has. Real caches have other sizes and other
// rules; the order does well with most of them.
const cacheSize = 32

// mostValence is from where on more triangles left make no difference, and how many of them are
// looked at.
const mostValence = 64

// one is the score 1.
const one = 1 << 20

// cacheScore and valenceScore are the parts of a score, by place in the cache and by the number of
// triangles left.
var cacheScore, valenceScore = scores()

func scores() (cache [cacheSize]int32, valence [mostValence + 1]int32) {
	for i := range cache {
		if i < 3 { // of the last triangle, which need not be the next one's neighbour
			cache[i] = one * 3 / 4
			continue
		}
		cache[i] = int32(math.Round(one * math.Pow(1-float64(i-3)/(cacheSize-3), 1.5)))
	}
	for i := 1; i <= mostValence; i++ {
		valence[i] = int32(math.Round(one * 2 / math.Sqrt(float64(i))))
	}
	return cache, valence
}

// A vertex is what is known of one.
type vertex struct {
	left  []uint32 // places in the list of indices where it is, of triangles that are not out yet
	place int32    // in the cache; -1: not there
	score int32
}

func (v *vertex) rate() {
	switch {
	case len(v.left) == 0:
		v.score = 0
	case v.place >= 0:
		v.score = cacheScore[v.place] + valenceScore[min(len(v.left), mostValence)]
	default:
		v.score = valenceScore[min(len(v.left), mostValence)]
	}
}

// forsyth returns the triangles of a list in another order. The vertices of each stay in theirs.
// Its time and memory grow with the number of indices, whatever their values are.
func forsyth(indices []uint32) []uint32 {
	names := make(map[uint32]uint32, len(indices)/4) // dense numbers of vertices
	verts := make([]uint32, len(indices))
	counts := []uint32(nil)
	for i, v := range indices {
		n, known := names[v]
		if !known {
			n = uint32(len(names))
			names[v] = n
			counts = append(counts, 0)
		}
		verts[i] = n
		counts[n]++
	}
	vertices := make([]vertex, len(names))
	all := make([]uint32, len(indices))
	for i, n := range counts {
		vertices[i] = vertex{left: all[:0:n], place: -1}
		all = all[n:]
	}
	where := make([]int, len(indices)) // in the left of its vertex is a place
	for i, v := range verts {
		where[i] = len(vertices[v].left)
		vertices[v].left = append(vertices[v].left, uint32(i))
	}
	for i := range vertices {
		vertices[i].rate()
	}
	done := make([]bool, len(indices)/3)
	out := make([]uint32, 0, len(indices))
	cache := make([]uint32, 0, cacheSize+3)
	fresh := make([]uint32, 0, cacheSize+3)
	for best, first := 0, 0; len(out) < len(indices); {
		if best < 0 {
			for done[first] {
				first++
			}
			best = first
		}
		tri := verts[3*best : 3*best+3]
		out = append(out, indices[3*best:3*best+3]...)
		done[best] = true
		fresh = fresh[:0]
		for k, v := range tri {
			left, at := vertices[v].left, where[3*best+k]
			last := left[len(left)-1]
			left[at], where[last] = last, at
			vertices[v].left = left[:len(left)-1]
			if !slices.Contains(fresh, v) {
				fresh = append(fresh, v)
			}
		}
		for _, v := range cache {
			if !slices.Contains(fresh[:min(len(fresh), 3)], v) {
				fresh = append(fresh, v)
			}
		}
		cache, fresh = fresh, cache
		for i, v := range cache {
			if vertices[v].place = int32(i); i >= cacheSize {
				vertices[v].place = -1
			}
			vertices[v].rate()
		}
		best = next(cache, vertices, verts)
		cache = cache[:min(len(cache), cacheSize)]
	}
	return out
}

// next returns the triangle with the highest score of those that have a vertex in the cache, the
// lowest number among equals; -1: there is none.
func next(cache []uint32, vertices []vertex, verts []uint32) int {
	best, most := -1, int32(-1)
	for _, v := range cache {
		left := vertices[v].left
		for _, at := range left[:min(len(left), mostValence)] {
			t := at / 3
			s := vertices[verts[3*t]].score + vertices[verts[3*t+1]].score +
				vertices[verts[3*t+2]].score
			if s > most || s == most && int(t) < best {
				best, most = int(t), s
			}
		}
	}
	return best
}
