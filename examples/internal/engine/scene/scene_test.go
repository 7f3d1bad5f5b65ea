package scene_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// brief returns n, or in short form a quarter of it.
func brief(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

func made(t testing.TB, seed uint64, size int) *scene.Scene {
	t.Helper()
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: seed, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func frame(t testing.TB, s *scene.Scene, c *scene.Context) {
	t.Helper()
	if err := s.Serial(c); err != nil {
		t.Fatal(err)
	}
}

func TestSize(t *testing.T) {
	for _, size := range []int{-1, scene.MaxSize + 1} {
		if _, err := scene.New(scene.Options{Seed: 1, Size: size}); err == nil ||
			!strings.Contains(err.Error(), "must be 1 to") {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

// TestSeedAndFrameSayAll runs two scenes of one seed, one of another, and one of another size.
func TestSeedAndFrameSayAll(t *testing.T) {
	a, b, c, d := made(t, 1, 1), made(t, 1, 1), made(t, 2, 1), made(t, 1, 2)
	seen := map[vec.Hash]bool{}
	for f := range brief(60) {
		for _, s := range []*scene.Scene{a, b, c, d} {
			frame(t, s, nil)
		}
		if a.Digest() != b.Digest() {
			t.Fatalf("frame %d: one seed, two digests", f)
		}
		for _, h := range []vec.Hash{a.Digest(), c.Digest(), d.Digest()} {
			if seen[h] {
				t.Fatalf("frame %d: a digest that was seen before", f)
			}
			seen[h] = true
		}
	}
}

// backwards runs a stage over 0..n in uneven ranges from behind.
func backwards(n, seed int, stage func(lo, hi int)) {
	for hi := n; hi > 0; seed++ {
		lo := max(0, hi-1-seed%7)
		stage(lo, hi)
		hi = lo
	}
}

// cut runs a frame with every stage cut, and independent stages in another order.
func cut(t *testing.T, s *scene.Scene, c *scene.Context, seed int) {
	t.Helper()
	s.Begin()
	backwards(len(s.Part.Inputs), seed, s.UpdateInputs)
	backwards(s.Sites(), seed, s.LookAhead)
	backwards(len(s.Part.Unrelated), seed, s.UpdateUnrelated)
	if s.Variant == scene.Lagged {
		backwards(s.Part.ChainCount(), seed, s.UpdateChains)
	}
	w := s.World
	backwards(w.Slots(), seed, w.Prepare)
	w.Sort()
	backwards(w.Living(), seed, w.Pairs)
	w.Gather()
	backwards(w.PairCount(), seed, w.Collide)
	w.Link()
	backwards(w.Islands(), seed, w.Solve)
	backwards(w.Slots(), seed, w.Finish)
	backwards(w.Slots(), seed, s.PostPhysics)
	if s.Variant != scene.Lagged {
		backwards(s.Part.ChainCount(), seed, s.UpdateChains)
	}
	if c != nil {
		n, m := s.Static.Len(), c.Movers()
		c.Begin(s)
		backwards(n, seed, func(lo, hi int) { c.CullStatic(s, lo, hi) })
		backwards(s.Occluders(), seed, c.Hide.Setup)
		backwards(c.Hide.Rows(), seed, c.Hide.Draw)
		backwards(n, seed, func(lo, hi int) { c.HideStatic(s, lo, hi) })
		backwards(n, seed, c.Clip)
		backwards(m, seed, func(lo, hi int) { c.Place(s, lo, hi) })
		backwards(len(s.Part.Apart), seed, func(lo, hi int) { c.SkinApart(s, lo, hi) })
		backwards(s.Part.ChainCount(), seed, func(lo, hi int) { c.SkinChains(s, lo, hi) })
		backwards(m, seed, func(lo, hi int) { c.Items(s, lo, hi) })
		backwards(len(c.Splats), seed, func(lo, hi int) { c.Dust(s, lo, hi) })
		c.Gather()
		backwards(m, seed, c.CollectMovers)
		backwards(n, seed, func(lo, hi int) { c.CollectStatic(s, lo, hi) })
		c.List.Sort()
		backwards(c.List.Len(), seed, c.Emit)
	}
	backwards(s.Voices(), seed, func(lo, hi int) { s.Sound(s.Frame, lo, hi) })
	s.Mix()
	s.Settle()
	if err := s.Deliver(scene.Files.ReadFile); err != nil {
		t.Fatal(err)
	}
	s.End(func() *scene.Marks { return parallelMark(t, s, seed) })
}

// parallelMark marks with three sets, as three participants would, and compares with the
// reference.
func parallelMark(t *testing.T, s *scene.Scene, seed int) *scene.Marks {
	t.Helper()
	sets := []scene.Marks{s.NewMarks(), s.NewMarks(), s.NewMarks()}
	backwards(len(s.Roots), seed, func(lo, hi int) { s.Mark(&sets[lo%3], lo, hi) })
	all := s.NewMarks()
	backwards(all.Words(), seed, func(lo, hi int) { all.Merge(sets, lo, hi) })
	if !all.Equal(s.MarkSerial()) {
		t.Fatalf("frame %d: the parallel mark is not the serial one", s.Frame)
	}
	return &all
}

// TestCutsDoNotMatter compares whole frames with cut ones, of all variants, state and picture.
func TestCutsDoNotMatter(t *testing.T) {
	for v := scene.Serial; v <= scene.Split; v++ {
		a, b := made(t, 3, 2), made(t, 3, 2)
		a.Variant, b.Variant = v, v
		ca, cb := a.NewContext(1.5), b.NewContext(1.5)
		for f := range brief(45) {
			frame(t, a, ca)
			cut(t, b, cb, f)
			if a.Digest() != b.Digest() {
				t.Fatalf("%v: the cut shows in frame %d", v, f)
			}
			if f%11 == 0 && items(ca.List.Items(), ca.Splats) != items(cb.List.Items(), cb.Splats) {
				t.Fatalf("%v: the cut shows in the picture of frame %d", v, f)
			}
		}
	}
}

// items sums up what a picture is drawn from.
func items(list []raster.Item, splats []raster.Splat) (h vec.Hash) {
	for _, it := range list {
		h = h.Vec3s(it.Pos).Vec3s(it.Nrm).Int(len(it.Idx)).Floats(it.Model[:]).Vec3(it.Tint)
	}
	for _, s := range splats {
		h = h.Vec3(s.Pos).Float(s.Radius).Vec3(s.Color).Vec3(s.Emit).Float(s.Alpha)
	}
	return h
}

// TestVariants holds that Split is Serial, that Lagged moves the simulated alike, and that
// only what depends on them is late.
func TestVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("many frames")
	}
	serial, split, lagged := made(t, 4, 1), made(t, 4, 1), made(t, 4, 1)
	serial.Variant, split.Variant, lagged.Variant = scene.Serial, scene.Split, scene.Lagged
	late := 0
	for f := range 240 {
		for _, s := range []*scene.Scene{serial, split, lagged} {
			frame(t, s, nil)
		}
		if serial.Digest() != split.Digest() {
			t.Fatalf("frame %d: split is not serial", f)
		}
		if serial.World.Digest(0) != lagged.World.Digest(0) {
			t.Fatalf("frame %d: lagged simulates otherwise", f)
		}
		if e := serial.LagError(); e != 0 {
			t.Fatalf("frame %d: serial is late by %v", f, e)
		}
		if e := lagged.LagError(); e > 0.001 {
			late++
			if e > 0.5 {
				t.Fatalf("frame %d: late by %v", f, e)
			}
		}
	}
	if late < 60 {
		t.Errorf("late in %d frames of 240", late)
	}
}

// beside runs functions at once and waits for all.
func beside(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

// TestWhatMayRunAtOnce runs frames of all variants with everything beside each other that may
// be: also the last frame's picture and sound. The race detector looks on.
func TestWhatMayRunAtOnce(t *testing.T) {
	for v := scene.Serial; v <= scene.Split; v++ {
		a, b := made(t, 10, 1), made(t, 10, 1)
		a.Variant, b.Variant = v, v
		ca := a.NewContext(1.5)
		cb := [2]*scene.Context{b.NewContext(1.5), b.NewContext(1.5)}
		var want, got vec.Hash
		simulate := func() { b.World.Simulate(); b.PostPhysics(0, b.World.Slots()) }
		inputs := func() { half(len(b.Part.Inputs), b.UpdateInputs) }
		unrelated := func() { half(len(b.Part.Unrelated), b.UpdateUnrelated) }
		chains := func() { half(b.Part.ChainCount(), b.UpdateChains) }
		for f := range brief(45) {
			frame(t, a, ca)
			last, now := cb[f&1], cb[(f+1)&1]
			beside(func() {
				if f > 0 {
					got = items(last.List.Items(), last.Splats)
				}
			}, func() {
				if f > 0 {
					half(b.Voices(), func(lo, hi int) { b.Sound(uint64(f), lo, hi) })
					b.Mix()
				}
			}, func() {
				b.Begin()
				inputs()
				switch v {
				case scene.Serial:
					simulate()
					chains()
					unrelated()
				case scene.Lagged:
					beside(simulate, chains, unrelated)
				case scene.Split:
					beside(func() { simulate(); chains() }, unrelated)
				}
				now.Serial(b)
				if err := b.Deliver(scene.Files.ReadFile); err != nil {
					t.Error(err)
				}
				b.End(func() *scene.Marks { return b.MarkSerial() })
			})
			if f > 0 && got != want {
				t.Fatalf("%v: the picture of frame %d differs", v, f)
			}
			want = items(ca.List.Items(), ca.Splats)
		}
		b.Sound(b.Frame, 0, b.Voices())
		b.Mix()
		if a.Digest() != b.Digest() {
			t.Errorf("%v: the digests differ", v)
		}
	}
}

// half runs both halves of a stage at once.
func half(n int, stage func(lo, hi int)) {
	beside(func() { stage(0, n/2) }, func() { stage(n/2, n) })
}

// TestEveryObjectHasItsClass checks the partition against the words that define it.
func TestEveryObjectHasItsClass(t *testing.T) {
	s := made(t, 5, 2)
	for range brief(150) {
		frame(t, s, nil)
	}
	o, p := &s.Objects, &s.Part
	times := make([]int, o.Len())
	for _, in := range p.Inputs {
		times[in.ID]++
		if o.Class[in.ID] != scene.ClassInput || s.World.Kind[in.Body] != rigid.Rails {
			t.Errorf("object %d, %v, class %v, is among the inputs", in.ID, in.Kind, o.Class[in.ID])
		}
	}
	for _, si := range p.Simulated {
		times[si.ID]++
		if o.Class[si.ID] != scene.ClassSimulated || s.World.Kind[si.Body] != rigid.Forces {
			t.Errorf("object %d, class %v, is among the simulated", si.ID, o.Class[si.ID])
		}
	}
	for i, d := range p.Dependents {
		times[d.ID]++
		on := o.On[d.ID]
		if o.Class[d.ID] != scene.ClassDependent || on == scene.None || times[on] == 0 {
			t.Errorf("dependent %d, object %d, class %v, is fixed to %d, which was not before it",
				i, d.ID, o.Class[d.ID], on)
		}
	}
	for _, u := range p.Unrelated {
		times[u.ID]++
		if o.Class[u.ID] != scene.ClassUnrelated {
			t.Errorf("object %d, class %v, is among the unrelated", u.ID, o.Class[u.ID])
		}
	}
	count := map[scene.Class]int{}
	for i, alive := range o.Alive {
		want := 0
		if alive && o.Kind[i] != scene.Group {
			want = 1
			count[o.Class[i]]++
		}
		if times[i] != want || (o.Class[i] == scene.NoClass) != (want == 0) {
			t.Errorf("object %d, %v, alive %v, class %v, is in %d lists", i, o.Kind[i], alive,
				o.Class[i], times[i])
		}
	}
	t.Log(count)
	for c := scene.ClassInput; c <= scene.ClassUnrelated; c++ {
		if count[c] < 4 {
			t.Errorf("%d objects of class %v", count[c], c)
		}
	}
	deep := 0
	for c := range p.ChainCount() {
		if d := p.Dependents[p.Chains[c]:p.Chains[c+1]]; d[0].Body == 0 {
			t.Errorf("chain %d does not begin at a body", c)
		} else if len(d) > 1 {
			deep++
		}
	}
	if deep == 0 {
		t.Error("no dependent has a dependent")
	}
}

// TestLifeAndDeath holds that objects come and go, that the room does not run out, and that
// nothing living is swept.
func TestLifeAndDeath(t *testing.T) {
	if testing.Short() {
		t.Skip("many frames")
	}
	s := made(t, 6, 1)
	born, died := 0, 0
	for range 500 {
		before := alive(s)
		frame(t, s, nil)
		if after := alive(s); after > before {
			born += after - before
		} else {
			died += before - after
		}
		m := s.MarkSerial()
		for i, a := range s.Objects.Alive {
			if m.Has(scene.ID(i)) && !a {
				t.Fatalf("frame %d: object %d is held but gone", s.Frame, i)
			}
		}
	}
	t.Logf("%d born, %d died, %d alive", born, died, alive(s))
	if born < 50 || died < 30 || alive(s) > 200 {
		t.Errorf("%d born, %d died, %d alive", born, died, alive(s))
	}
	if s.World.Dropped != 0 {
		t.Errorf("%d pairs too many", s.World.Dropped)
	}
}

func alive(s *scene.Scene) (n int) {
	for _, a := range s.Objects.Alive {
		if a {
			n++
		}
	}
	return n
}

// TestAdopt reads prefabs with faults and finds the scene unchanged.
func TestAdopt(t *testing.T) {
	s := made(t, 7, 1)
	for text, want := range map[string]string{
		"box 0 0 0 1 1":                     `line 1: box takes 6 numbers; number 6 is ""`,
		"# fine\n\nbell 1":                  `line 3: no part is called "bell"`,
		"ball 0 1 0 x":                      `number 4 is "x"`,
		"ball 0 1 0 0.3 9":                  `"9" is left over`,
		"ball 0 1 0 0.0001":                 "a size of",
		"sparks":                            "sparks before any body",
		strings.Repeat("smoke 0 0 0\n", 17): "line 17: more than 16 parts",
		"ball 0 1- 0 1":                     `number 2 is "1-"`,
	} {
		before := alive(s)
		if err := s.Adopt([]byte(text)); err == nil || !strings.Contains(err.Error(), want) ||
			alive(s) != before {
			t.Errorf("%q: %v", text, err)
		}
	}
	full := false
	for range 50 {
		before := alive(s)
		if err := s.Adopt([]byte("box 0 1 0 .3 .3 .3\r\nsparks\nknock 300")); errors.Is(err,
			scene.ErrNoRoom) {
			full = true
			if alive(s) != before {
				t.Fatal("something was made without room")
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !full {
		t.Error("there is always room")
	}
}

// TestWorldStaysSane holds for five seconds that nothing flies off, that cloth does not
// stretch, and that something is heard.
func TestWorldStaysSane(t *testing.T) {
	s := made(t, 8, 1)
	loud := float32(0)
	for range brief(300) {
		frame(t, s, nil)
		for i := 1; i < s.World.Slots(); i++ {
			if s.World.Kind[i] == rigid.Forces {
				if p := s.World.Pos[i]; !(p.Y > 0) || !(p.Len() < 40) {
					t.Fatalf("frame %d: body %d is at %v", s.Frame, i, p)
				}
			}
		}
		for i := range s.Cloth.Len() {
			if e := s.Cloth.Strain(i); e >= 0.05 {
				t.Fatalf("frame %d: cloth %d is stretched by %v", s.Frame, i, e)
			}
		}
		for _, x := range s.Mixer.Out() {
			loud = max(loud, vec.Abs(x))
		}
	}
	if loud < 0.02 || loud > 1 {
		t.Errorf("peak of the sound %v", loud)
	}
}

func draw(s *scene.Scene, c *scene.Context, r *raster.Renderer, sh *raster.Shadow) uint64 {
	casters := c.Casters()
	sh.Begin(casters)
	sh.Setup(0, len(casters))
	sh.Draw(0, sh.Tiles())
	r.Begin(&c.View, &s.Light, sh, c.List.Items(), c.Splats)
	r.Draw()
	return r.Hash()
}

// TestCullingDoesNotShow draws pictures with culling on and off.
func TestCullingDoesNotShow(t *testing.T) {
	last := 130
	if testing.Short() {
		last = 64
	}
	s := made(t, 1, 1)
	on, off := s.NewContext(16./9), s.NewContext(16./9)
	off.CullOff = true
	r := raster.New(raster.Options{Width: 320, Height: 180, Samples: 1, Occlusion: true})
	r.Reserve(s.Room(on))
	sh := raster.NewShadow(1024, s.Light.Sun, s.Bounds())
	sh.Static(s.Static.Items())
	fewer := false
	for f := 1; f <= last; f++ {
		frame(t, s, on)
		// Frames 64 and 128: objects neither come nor go at their ends.
		if f%64 == 0 {
			a := draw(s, on, r, sh)
			off.Serial(s)
			if b := draw(s, off, r, sh); a != b {
				t.Fatalf("frame %d: culling shows", f)
			}
			fewer = fewer || on.List.Len() < off.List.Len()
		}
	}
	if !fewer {
		t.Error("nothing was culled")
	}
}

// TestSmall holds that a small scene has all kinds and classes and stays sane.
func TestSmall(t *testing.T) {
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1, Coarse: true})
	if err != nil {
		t.Fatal(err)
	}
	c := s.NewContext(1.5)
	for range 120 {
		frame(t, s, c)
		for i := range s.Cloth.Len() {
			if e := s.Cloth.Strain(i); e >= 0.05 {
				t.Fatalf("frame %d: cloth %d is stretched by %v", s.Frame, i, e)
			}
		}
	}
	p := &s.Part
	if len(p.Inputs) == 0 || len(p.Simulated) == 0 || p.ChainCount() == 0 ||
		len(p.Unrelated) == 0 || c.List.Len() == 0 {
		t.Error("a class is empty, or the picture")
	}
	has := map[scene.Kind]bool{}
	for i, alive := range s.Objects.Alive {
		has[s.Objects.Kind[i]] = has[s.Objects.Kind[i]] || alive
	}
	for k := scene.Group; k <= scene.Voice; k++ {
		if !has[k] {
			t.Errorf("there is no %v", k)
		}
	}
}

// TestOtherModel fills a scene with figures of two bones and no clips, twice as large, and with
// a model that cannot be.
func TestOtherModel(t *testing.T) {
	sk := &anim.Skeleton{
		Parent: []int16{-1, 0}, T: []vec.Vec3{{}, {Y: 1}},
		R:    []vec.Quat{vec.QuatIdent, vec.QuatIdent},
		Bind: []vec.Mat4{vec.Ident, vec.Translation(vec.V3(0, -1, 0))},
	}
	m := &anim.Mesh{
		Pos: []vec.Vec3{{}, {X: 0.3}, {Y: 1}}, Normal: []vec.Vec3{{Z: 1}, {Z: 1}, {Z: 1}},
		Index: []uint32{0, 1, 2},
		Joint: make([][4]uint16, 3), Weight: [][4]float32{{1}, {1}, {0.5, 0.5}},
	}
	m.Joint[2][1] = 1
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1,
		Model: &scene.Model{Skeleton: sk, Mesh: m, Fit: vec.Scaling(vec.V3(2, 2, 2))}})
	if err != nil {
		t.Fatal(err)
	}
	c := s.NewContext(1.5)
	for range 10 {
		frame(t, s, c)
	}
	if h := s.Crowd.Bounds[0].Max.Y; vec.Abs(h-2) > 0.01 {
		t.Errorf("a figure of 2 metres is %v high", h)
	}
	m.Joint[0][0] = 2
	if _, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1,
		Model: &scene.Model{Skeleton: sk, Mesh: m}}); err == nil ||
		!strings.Contains(err.Error(), "hangs on bone 2 of 2") {
		t.Errorf("a mesh that hangs on nothing: %v", err)
	}
}

// TestNoAllocation holds for whole frames, deaths included. Files are read ahead.
func TestNoAllocation(t *testing.T) {
	s := made(t, 9, 1)
	c := s.NewContext(1.5)
	text := map[string][]byte{}
	for _, name := range scene.Prefabs {
		b, err := scene.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text[name] = b
	}
	mark := func() *scene.Marks { return s.MarkSerial() }
	load := func(name string) ([]byte, error) { return text[name], nil }
	one := func() {
		s.Begin()
		s.UpdateInputs(0, len(s.Part.Inputs))
		s.World.Simulate()
		s.PostPhysics(0, s.World.Slots())
		s.UpdateChains(0, s.Part.ChainCount())
		s.UpdateUnrelated(0, len(s.Part.Unrelated))
		s.Sound(s.Frame, 0, s.Voices())
		s.Mix()
		c.Serial(s)
		if err := s.Deliver(load); err != nil {
			t.Error(err)
		}
		s.End(mark)
	}
	for range 20 {
		one()
	}
	if n := testing.AllocsPerRun(brief(200), one); n != 0 {
		t.Errorf("%v allocations in a frame", n)
	}
}

func BenchmarkSerial(b *testing.B) {
	s := made(b, 1, 1)
	c := s.NewContext(16. / 9)
	for b.Loop() {
		frame(b, s, c)
	}
}

func BenchmarkSmall(b *testing.B) {
	s, err := scene.New(scene.Options{Setting: scene.Courtyards, Seed: 1, Size: 1, Coarse: true})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		frame(b, s, nil)
	}
}
