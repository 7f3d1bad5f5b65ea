package gate

import "testing"

func TestGate(t *testing.T) {
	var g Gate
	for i := range most {
		if !g.Enter() {
			t.Fatalf("%d are not let in", i+1)
		}
	}
	if g.Enter() {
		t.Fatal("one too many")
	}
	for i := range most {
		g.Leave(i)
	}
	if g.sum != 3 || g.word.Load() != 0 {
		t.Fatalf("sum %d, word %d", g.sum, g.word.Load())
	}
}

func TestReopen(t *testing.T) {
	var g Gate
	g.Close()
	g.Reopen()
	if !g.Enter() {
		t.Fatal("not let in")
	}
}
