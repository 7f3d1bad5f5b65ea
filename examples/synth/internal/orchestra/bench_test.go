package orchestra

import (
	"testing"

	"github.com/heddle-go/heddle/examples/synth/internal/score"
)

// BenchmarkBlock plays the loop of the canon, one node after the other, without the hall's tail.
func BenchmarkBlock(b *testing.B) {
	o := New(score.Canon(), 112, true)
	b.ReportAllocs()
	for b.Loop() {
		o.Next()
		for _, n := range o.Block() {
			n.Run()
		}
	}
}

// BenchmarkTail works on a chunk, which takes 16 blocks to play.
func BenchmarkTail(b *testing.B) {
	o := New(score.Canon(), 14, true)
	b.ReportAllocs()
	for b.Loop() {
		o.NextTail()
		for _, n := range o.Tail() {
			n.Run()
		}
	}
}
