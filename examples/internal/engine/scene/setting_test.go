package scene

import "testing"

// staged returns a plot of a setting.
func staged(t *testing.T, o Options) *Scene {
	t.Helper()
	o.Size = 1
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSettingsStaySane plays all settings, coarse and fine: nothing flies off or falls apart, and
// no contact is left out.
func TestSettingsStaySane(t *testing.T) {
	for set := range settings {
		for _, coarse := range []bool{true, false} {
			if !coarse && testing.Short() {
				continue
			}
			s := staged(t, Options{Setting: set, Seed: 3, Coarse: coarse})
			c := s.NewContext(1.5)
			islands := 0
			for range 90 {
				if err := s.Serial(c); err != nil {
					t.Fatal(err)
				}
				islands = max(islands, s.World.Islands())
				if n := s.World.Dropped; n != 0 {
					t.Fatalf("%v, frame %d: %d pairs too many", set, s.Frame, n)
				}
				if e := s.World.Slack(); e > 0.3 {
					t.Fatalf("%v, frame %d: a joint gave way by %v", set, s.Frame, e)
				}
				room := s.area.Grow(20)
				for i, p := range s.World.Pos {
					if i > 0 && !room.Contains(p) {
						t.Fatalf("%v, frame %d: body %d is at %v", set, s.Frame, i, p)
					}
				}
			}
			t.Logf("%v, coarse %v: %d bodies, %d islands, %d chains", set, coarse, s.World.Living(),
				islands, s.Part.ChainCount())
		}
	}
}

// TestAnimationAndSimulationMeetInTheFrame holds that the bodies of hands and feet are where the
// frame's animation has them, and the bones of dolls where the frame's simulation has their bodies;
// in the lagged order the dolls are late.
func TestAnimationAndSimulationMeetInTheFrame(t *testing.T) {
	for _, set := range []Setting{Mixed, Quarry, Crowd, Courtyards} {
		for _, v := range []Variant{Serial, Split, Barriers, Lagged} {
			s := staged(t, Options{Setting: set, Seed: 1, Coarse: true})
			s.Variant = v
			limbs, bones, late := 0, 0, 0
			for range 40 {
				if err := s.Serial(nil); err != nil {
					t.Fatal(err)
				}
				for slot := range s.limbs {
					for _, l := range s.limbs[slot] {
						limbs++
						if at := s.Crowd.Bone(slot, l.bone).Pos(); s.World.Pos[l.body] != at {
							t.Fatalf("%v, %v: a hand's body is at %v, the hand at %v", set, v,
								s.World.Pos[l.body], at)
						}
					}
					for k, j := range s.joints[slot] {
						bones++
						m := s.World.Matrix(int(j.body))
						if m = m.Mul(&j.local); *s.Crowd.Bone(slot, s.driven[slot][k].Bone) != m {
							late++
						}
					}
				}
			}
			if limbs == 0 || bones == 0 {
				t.Errorf("%v: %d limbs, %d bones", set, limbs, bones)
			}
			if (late > 0) != (v == Lagged) {
				t.Errorf("%v, %v: %d of %d bones are late", set, v, late, bones)
			}
		}
	}
}
