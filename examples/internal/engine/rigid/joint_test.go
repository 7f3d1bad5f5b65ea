package rigid_test

import (
	"strings"
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// TestChainHangs lets a chain of five boxes fall from the level, on a body on rails that goes to
// and fro for a while: it stays together, is one island all the time, and swings below its hook.
func TestChainHangs(t *testing.T) {
	w := rigid.New(8)
	b := cube(0.1, 0, 3, 0)
	b.Kind, b.Group = rigid.Rails, 1
	hook := add(t, w, b)
	last := hook
	for k := range 5 {
		b := cube(0.1, 0.3*float32(k+1), 3, 0)
		b.Group = 1
		i := add(t, w, b)
		if err := w.Join(last, i, vec.V3(0.3*float32(k)+0.15, 3, 0), 0); err != nil {
			t.Fatal(err)
		}
		last = i
	}
	var worst float32
	low := float32(3)
	for f := range 900 {
		x := float32(0)
		if f < 200 {
			x = 0.2 * vec.Sin(float32(f)*vec.Pi/50)
		}
		w.MoveTo(hook, vec.V3(x, 3, 0), vec.QuatIdent, dt)
		w.Step(dt)
		worst, low = max(worst, w.Slack()), min(low, w.Pos[last].Y)
		if w.Islands() != 1 {
			t.Fatalf("frame %d: %d islands", f, w.Islands())
		}
	}
	t.Logf("apart at most %.4f m, ends at %v", worst, w.Pos[last])
	if worst > 0.05 {
		t.Errorf("a joint gave way by %v m", worst)
	}
	if low < 1.4 || low > 1.7 {
		t.Errorf("the chain's end has come down to %v m, not to about 1.5", low)
	}
}

// TestJointTurnsBack holds that a stiff joint holds up an arm that a free one lets hang.
func TestJointTurnsBack(t *testing.T) {
	for hertz, up := range map[float32]bool{0: false, 8: true} {
		w := rigid.New(4)
		b := cube(0.1, 0, 2, 0)
		b.Kind = rigid.Rails
		wall := add(t, w, b)
		arm := add(t, w, rigid.Body{Kind: rigid.Forces, Shape: rigid.Box,
			Half: vec.V3(0.3, 0.05, 0.05), Pos: vec.V3(0.45, 2, 0)})
		if err := w.Join(wall, arm, vec.V3(0.15, 2, 0), hertz); err != nil {
			t.Fatal(err)
		}
		for range 600 {
			w.MoveTo(wall, vec.V3(0, 2, 0), vec.QuatIdent, dt)
			w.Step(dt)
		}
		if is := w.Pos[arm].Y > 1.95; is != up {
			t.Errorf("%v hertz: the arm is at %v", hertz, w.Pos[arm])
		}
	}
}

// TestJoinsThatCannotBe reads the errors, and takes out a body that is held.
func TestJoinsThatCannotBe(t *testing.T) {
	w := rigid.New(2)
	a, b := add(t, w, cube(0.1, 0, 1, 0)), add(t, w, cube(0.1, 1, 1, 0))
	for _, pair := range [][2]int{{a, a}, {0, 0}} {
		if err := w.Join(pair[0], pair[1], vec.Vec3{}, 0); err == nil ||
			!strings.Contains(err.Error(), "a joint of the bodies") {
			t.Errorf("%v: %v", pair, err)
		}
	}
	full := false
	for range 10 {
		if err := w.Join(a, b, vec.V3(0.5, 1, 0), 0); err != nil {
			full = strings.Contains(err.Error(), "no room for more than 3 joints")
			break
		}
	}
	if !full {
		t.Error("there is always room")
	}
	w.Remove(b)
	c := add(t, w, cube(0.1, 0, 5, 0))
	w.Step(dt)
	if w.Islands() != 2 || w.Slack() != 0 {
		t.Errorf("%d islands: the joints of a body that is gone hold body %d", w.Islands(), c)
	}
}
