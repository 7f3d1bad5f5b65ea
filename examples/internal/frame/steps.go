package frame

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
)

// plan returns the frame: what there is to do, and in which order it has to be. The ways to
// order the simulation differ in a few places only, which are at the top.
func (w *world) plan() *plan {
	s := w.Scene
	var (
		hangs   = []string{"solve"} // what the dependents come after
		hung    = [2]group{groupPostPhysics, groupPostPhysics}
		free    = []string{"inputs"} // what the unrelated come after
		beside  = [2]group{groupDuringPhysics, groupPostPhysics}
		sim     = [2]group{groupStartPhysics, groupEndPhysics}
		looks   = groupDuringPhysics // what is seen of what does not move
		feeding []*feed
	)
	solve, settle, finish := s.World.Solve, s.PostPhysics, s.World.Finish
	place := func(c *scene.Context, lo, hi int) { c.Place(s, lo, hi) }
	items := func(c *scene.Context, lo, hi int) { c.Items(s, lo, hi) }
	// What the movers come after.
	drawn := []string{"finish", "dependents", "animation", "cloth", "occlusion"}
	switch s.Variant {
	case scene.Serial: // one class after the other
		hangs = []string{"post physics"}
		free = []string{"inputs", "dependents"}
		beside = [2]group{groupPostPhysics, groupPostPhysics}
	case scene.Barriers: // one class after the other, and each when all of the one before is done
		hangs = []string{"post physics"}
		sim = [2]group{groupStartPhysics, groupStartPhysics}
		beside = [2]group{groupDuringPhysics, groupDuringPhysics}
		looks = groupDraw
	case scene.Lagged:
		// Dependents see the last frame's simulation, and so need not wait for this one's.
		hangs = []string{"inputs"}
		hung = [2]group{groupDuringPhysics, groupPostPhysics}
	case scene.Split:
		// A dependent goes on when the island that it hangs on is solved, and so does each body.
		// What is launched last runs first.
		feeding = []*feed{
			{to: "bodies", of: s.World.Bodies, most: s.World.Slots()},
			{to: "dependents", of: w.carry.chains.of, most: s.Objects.Len()},
		}
		drawn = append(drawn, "bodies")
		settle = w.carry.settleOthers
		finish = func(lo, hi int) { outside(s, lo, hi, s.World.Finish) }
		place = func(c *scene.Context, lo, hi int) {
			outside(s, lo, hi, func(lo, hi int) { c.Place(s, lo, hi) })
		}
		items = func(c *scene.Context, lo, hi int) {
			outside(s, lo, hi, func(lo, hi int) { c.Items(s, lo, hi) })
		}
		solve = func(lo, hi int) {
			s.World.Solve(lo, hi)
			w.carry.settle(lo, hi)
		}
	}
	once := func(f func()) func(_, _, _ int) { return func(_, _, _ int) { f() } }
	over := func(f func(lo, hi int)) func(_, _, _ int) { return func(_, lo, hi int) { f(lo, hi) } }
	of := func(f func(c *scene.Context, lo, hi int)) func(_, _, _ int) {
		return func(frame, lo, hi int) { f(w.context(frame), lo, hi) }
	}
	unrelated := func(k scene.Kind) (objects func() int, work func(_, _, _ int)) {
		objects = func() int {
			lo, hi := s.Part.UnrelatedOf(k)
			return hi - lo
		}
		return objects, func(_, lo, hi int) {
			first, _ := s.Part.UnrelatedOf(k)
			s.UpdateUnrelated(first+lo, first+hi)
		}
	}
	figures, animate := unrelated(scene.Figure)
	emitters, emit := unrelated(scene.Emitter)
	patches, hang := unrelated(scene.Patch)
	voices, speak := unrelated(scene.Voice)
	slots, living := s.World.Slots, s.World.Living
	stones, movers := s.Static.Len, w.contexts[0].Movers
	apart := func() int { return len(s.Part.Apart) }
	dust := func() int { return len(w.contexts[0].Splats) }

	start, end := sim[0], sim[1]
	steps := []step{
		{name: "input", place: onGame, group: groupInput, high: true, work: once(s.Begin)},
		{name: "inputs", class: classInput, group: groupInput, high: true, after: []string{"input"},
			objects: func() int { return len(s.Part.Inputs) }, work: over(s.UpdateInputs)},

		{name: "bounds", class: classSimulated, group: start, end: end, high: true,
			after: []string{"inputs"}, objects: slots, work: over(s.World.Prepare)},
		{name: "sweep", class: classSimulated, group: start, end: end, high: true,
			after: []string{"bounds"}, work: once(s.World.Sort)},
		{name: "pairs", class: classSimulated, group: start, end: end, after: []string{"sweep"},
			objects: living, work: over(s.World.Pairs)},
		{name: "gather", class: classSimulated, group: start, end: end, high: true,
			after: []string{"pairs"}, work: once(s.World.Gather)},
		{name: "collide", class: classSimulated, group: start, end: end, after: []string{"gather"},
			objects: s.World.PairCount, work: over(s.World.Collide)},
		{name: "islands", class: classSimulated, group: start, end: end, high: true,
			after: []string{"collide"}, work: once(func() {
				s.World.Link()
				w.carry.find()
			})},
		{name: "solve", class: classSimulated, group: start, end: end, after: []string{"islands"},
			grain:   1,
			objects: s.World.Islands, work: over(solve), feeds: feeding},
		{name: "finish", class: classSimulated, group: end, after: []string{"solve"},
			objects: slots, work: over(finish)},
		{name: "post physics", class: classSimulated, group: end, after: []string{"finish"},
			objects: slots, work: over(settle)},

		{name: "dependents", class: classDependent, group: hung[0], end: hung[1], after: hangs,
			objects: s.Part.ChainCount, grain: 1, work: of(func(c *scene.Context, lo, hi int) {
				s.UpdateChains(lo, hi)
				c.SkinChains(s, lo, hi)
			})},

		{name: "animation", class: classUnrelated, group: beside[0], end: beside[1], after: free,
			objects: figures, grain: 1, work: animate,
			finish: func(int) { w.animated = s.Frame }},
		{name: "particles", class: classUnrelated, group: beside[0], end: beside[1], after: free,
			objects: emitters, grain: 1, work: emit},
		{name: "skinning", class: classUnrelated, group: beside[0], end: beside[1],
			after: []string{"animation"}, objects: apart, grain: 1,
			work: of(func(c *scene.Context, lo, hi int) {
				if w.animated != s.Frame {
					panic(fmt.Sprintf("skinning in frame %d after the animation of frame %d",
						s.Frame, w.animated))
				}
				c.SkinApart(s, lo, hi)
			})},
		{name: "cloth", class: classUnrelated, group: beside[0], end: beside[1],
			after: []string{"animation"}, objects: patches, grain: 1, work: hang},
		{name: "voices", class: classUnrelated, group: beside[0], end: beside[1], after: free,
			objects: voices, work: speak},
		{name: "sound", place: onAudio, group: groupPostPhysics, end: groupDraw,
			after: []string{"voices", "dependents"}, objects: s.Voices, grain: 1,
			work: over(func(lo, hi int) { s.Sound(s.Frame, lo, hi) })},
		{name: "mix", place: onAudio, group: groupPostPhysics, end: groupDraw,
			after: []string{"sound"}, work: once(s.Mix)},

		{name: "view", group: looks, after: []string{"input"},
			work: of(func(c *scene.Context, _, _ int) { c.Begin(s) })},
		{name: "occluders", group: looks, after: []string{"view"}, objects: s.Occluders,
			work: of(func(c *scene.Context, lo, hi int) { c.Hide.Setup(lo, hi) })},
		{name: "occlusion", group: looks, after: []string{"occluders"},
			objects: w.contexts[0].Hide.Rows,
			work:    of(func(c *scene.Context, lo, hi int) { c.Hide.Draw(lo, hi) })},
		{name: "frustum", group: looks, after: []string{"view"}, objects: stones,
			work: of(func(c *scene.Context, lo, hi int) { c.CullStatic(s, lo, hi) })},
		// Where nothing is in view there is nothing that others could hide.
		{name: "hidden", group: looks, after: []string{"frustum"}, asks: func(frame int) bool {
			return w.context(frame).AnyStone()
		},
			maybe: "occlusion", objects: stones,
			work: of(func(c *scene.Context, lo, hi int) { c.HideStatic(s, lo, hi) })},
		{name: "clip", group: looks, end: groupDraw, after: []string{"hidden"}, objects: stones,
			work: of(func(c *scene.Context, lo, hi int) { c.Clip(lo, hi) })},

		{name: "place", group: groupDraw, after: drawn, objects: movers, work: of(place)},
		{name: "items", group: groupDraw, high: true, after: []string{"place"}, objects: movers,
			work: of(items)},
		{name: "dust", group: groupDraw, after: []string{"particles", "dependents"}, objects: dust,
			work: of(func(c *scene.Context, lo, hi int) { c.Dust(s, lo, hi) })},
		{name: "list", group: groupDraw, after: []string{"view"},
			work: of(func(c *scene.Context, _, _ int) { c.Gather() })},
		{name: "seen stones", group: groupDraw, after: []string{"list", "hidden"}, objects: stones,
			work: of(func(c *scene.Context, lo, hi int) { c.CollectStatic(s, lo, hi) })},
		{name: "seen movers", group: groupDraw, after: []string{"list", "place"}, objects: movers,
			work: of(func(c *scene.Context, lo, hi int) { c.CollectMovers(lo, hi) })},
		{name: "draw order", group: groupDraw, after: []string{"seen stones", "seen movers"},
			work: of(func(c *scene.Context, _, _ int) { c.List.Sort() })},
		{name: "draw list", group: groupDraw, after: []string{"draw order", "clip", "items"},
			objects: func() int { return w.contexts[int(s.Frame-1)&1].List.Len() },
			work:    of(func(c *scene.Context, lo, hi int) { c.Emit(lo, hi) })},

		{name: "loads", group: groupDraw, after: []string{"input"}, missing: w.missing,
			work: once(w.deliver)},
	}
	if s.Variant == scene.Split {
		at := slices.IndexFunc(steps, func(s step) bool { return s.name == "place" })
		steps = slices.Insert(steps, at, w.bodies())
	}
	if s.Sites() > 0 {
		// Whoever finds that the camera comes near a site asks for its file, and the end of the
		// frame is what some of them are waited for.
		loads := &steps[len(steps)-1]
		loads.after = append(loads.after, "look ahead")
		ahead := step{
			name: "look ahead", class: classUnrelated, group: beside[0], end: beside[1],
			after:   []string{"input"},
			objects: s.Sites, work: over(s.LookAhead),
		}
		steps = slices.Insert(steps, len(steps)-1, ahead)
	}
	p := newPlan(frameTime, append(steps, w.drawing()...))
	p.next = func(int) error { return w.next() }
	for i := range p.steps {
		// Where there are few processors a picture has what the simulation leaves, once the
		// unrelated objects have gone beside that.
		if p.steps[i].class == classUnrelated {
			p.gate = append(p.gate, i)
		}
	}
	return p
}

// bodies returns the step that makes each body ready to be drawn when its island is solved. Only
// if it is in the view something can hide it, so only then it waits for what hides.
//
// Each body has a task, though it is worth less than a launch: one for up to four bodies of an
// island gained three hundredths of a frame of the quarry, and one for up to sixteen a little more,
// which is less than they would have to gain to be worth their code.
func (w *world) bodies() step {
	s := w.Scene
	free := func(k int) bool { return s.World.IslandOf(k) < 0 } // it is in no island: see outside
	return step{
		name: "bodies", group: groupEndPhysics, end: groupDraw,
		after: []string{"solve", "view"}, maybe: "occlusion", objects: s.World.Slots,
		first: func(frame, k int) bool {
			if free(k) {
				return false
			}
			s.World.Finish(k, k+1)
			if !w.carry.carries(k) {
				s.PostPhysics(k, k+1)
			}
			return w.context(frame).Frame(s, k)
		},
		work: func(frame, lo, hi int) {
			c := w.context(frame)
			for k := lo; k < hi; k++ {
				if !free(k) {
					c.Hidden(k)
					c.Items(s, k, k+1)
				}
			}
		},
	}
}

// outside calls f for what is left of a range of movers without the bodies of islands.
func outside(s *scene.Scene, lo, hi int, f func(lo, hi int)) {
	for from := lo; from < hi; {
		to := from
		for to < hi && (to >= s.World.Slots() || s.World.IslandOf(to) < 0) {
			to++
		}
		if to > from {
			f(from, to)
		}
		from = to + 1
	}
}

// drawing returns the steps that draw a frame's picture, while the next frame is computed.
func (w *world) drawing() []step {
	r, sh := w.renderer, w.shadow
	var casters int
	return []step{
		{name: "casters", place: onRender, work: func(frame, _, _ int) {
			items := w.context(frame).Casters()
			casters = len(items)
			sh.Begin(items)
		}},
		{name: "shadow setup", place: onRender, after: []string{"casters"}, grain: 2,
			objects: func() int { return casters }, work: func(_, lo, hi int) { sh.Setup(lo, hi) }},
		{name: "shadows", place: onRender, after: []string{"shadow setup"}, objects: sh.Tiles,
			grain: 1, work: func(_, lo, hi int) { sh.Draw(lo, hi) }},
		{name: "picture", place: onRender, after: []string{"shadows"}, work: func(frame, _, _ int) {
			c := w.context(frame)
			w.drawn = c
			r.Begin(&c.View, &w.Light, sh, c.List.Items(), c.Splats)
		}},
		{name: "triangles", place: onRender, after: []string{"picture"}, grain: 2,
			objects: func() int { return w.drawn.List.Len() }, work: func(_, lo, hi int) {
				r.Setup(lo, hi)
			}},
		{name: "splats", place: onRender, after: []string{"picture"},
			objects: func() int { return len(w.drawn.Splats) }, work: func(_, lo, hi int) {
				r.Splats(lo, hi)
			}},
		{name: "splat order", place: onRender, after: []string{"splats"}, work: func(_, _, _ int) {
			r.Sort()
		}},
		{name: "raster", place: onRender, after: []string{"triangles"}, objects: r.Tiles, grain: 1,
			work: func(_, lo, hi int) { r.Raster(lo, hi) }},
		{name: "shade", place: onRender, after: []string{"raster", "splat order"}, objects: r.Tiles,
			grain: 1, work: func(_, lo, hi int) { r.Shade(lo, hi) }},
		{name: "present", place: onRender, after: []string{"shade"}, work: func(frame, _, _ int) {
			if w.picture != nil {
				w.picture(frame, r.Image())
			}
		}},
	}
}
