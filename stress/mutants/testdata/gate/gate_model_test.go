//go:build modelcheck

package gate

import "testing"

func TestModelGate(t *testing.T) {
	var g Gate
	if g.Closed() {
		t.Fatal("closed from the start")
	}
	g.Close()
	if !g.Closed() || g.Enter() {
		t.Fatal("open")
	}
}
