package frame

import (
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A quality says how pictures are drawn: how large, with how many samples a side of a pixel, and
// texels a side of the map of shadows.
type quality struct{ width, height, samples, shadow int }

var (
	quick        = quality{96, 54, 1, 512}     // in a frame that is only measured
	tiny         = quality{64, 36, 1, 128}     // enough to see that a picture is the same
	fine         = quality{640, 360, 2, 1024}  // of a sequence that is written
	stillQuality = quality{1280, 720, 2, 1024} // of the last frame
)

// A world is a scene with all that a frame of it needs: two contexts of pictures, so that one is
// drawn while the other is prepared, and the renderer. Its plan is in steps.go.
type world struct {
	*scene.Scene
	contexts [2]*scene.Context
	renderer *raster.Renderer
	shadow   *raster.Shadow
	quality  quality
	serve    services

	library   *library   // nil: prefabs are read by a timetable, and the scene has no sites
	librarian *librarian // nil: files are read by who plays the frame

	carry carry
	// the frame whose animation is complete, on the game thread
	animated uint64
	lag      mean                           // of the squares of LagError
	swept    int                            // objects that were found dead
	drawn    *scene.Context                 // that the render thread draws
	picture  func(frame int, m *image.RGBA) // gets every picture; or nil
}

// services are what a player supplies to the end of a frame, each in its own way.
type services struct {
	// mark finds what can be reached.
	mark func() (*scene.Marks, error)
	// fetch begins to read the file of a prefab.
	fetch func(prefab int)
	// underway returns what a prefab's text comes with, or nil if it is there.
	underway func(prefab int) *arrival
	// deliver is called by the frame at whose end a prefab's objects are due, when its text is
	// there.
	deliver func(prefab int)
	// overdue returns what the props wait for that come at the end of this frame, or nil.
	overdue func() *arrival
	// settle is called by each frame when all of them have come from their files.
	settle func()
	// born says what became of them: they live now.
	born func() error
	// text returns a prefab's text, for players that bring its objects to life themselves, between
	// two frames.
	text func(name string) ([]byte, error)
}

// worldOf makes a world of a scene that has not begun.
func worldOf(s *scene.Scene, v scene.Variant, q quality) *world {
	s.Variant = v
	w := &world{Scene: s, quality: q}
	for i := range w.contexts {
		w.contexts[i] = s.NewContext(float32(q.width) / float32(q.height))
	}
	w.shadow = raster.NewShadow(q.shadow, s.Light.Sun, s.Bounds())
	w.shadow.Static(s.Static.Items())
	w.renderer = raster.New(raster.Options{Width: q.width, Height: q.height, Samples: q.samples})
	items, vertices, indices, splats := s.Room(w.contexts[0])
	w.renderer.Reserve(items, vertices, indices, splats)
	w.shadow.Reserve(items, vertices, indices)
	w.carry = newCarry(s)
	w.serve = services{
		mark:     func() (*scene.Marks, error) { return s.MarkSerial(), nil },
		fetch:    func(int) {},
		underway: func(int) *arrival { return nil },
		deliver:  func(int) {},
		born:     func() error { return s.Deliver(w.serve.text) },
		text:     scene.Files.ReadFile,
	}
	return w
}

// from lets the props of the scene's sites come from the files of a folder.
func (w *world) from(m *models, budget int64) {
	l := newLibrary(w.Scene, m, budget)
	w.library, w.Library = l, l
	w.serve.overdue = func() *arrival {
		if err := l.serve(l.overdue(w.Scene)); err != nil {
			panic(err) // the player makes it the step's failure
		}
		l.collect()
		return nil
	}
	w.serve.settle = func() {}
	w.serve.born = func() error { w.Settle(); return nil }
}

// context returns the context of a frame's picture.
func (w *world) context(frame int) *scene.Context { return w.contexts[frame&1] }

// next is what the game thread does between two frames.
func (w *world) next() error {
	w.lag.add(float64(w.LagError()))
	if i, ok := w.LoadWanted(); ok {
		w.serve.fetch(i)
	}
	err := w.serve.born()
	w.End(func() *scene.Marks {
		m, failure := w.serve.mark()
		err = errors.Join(err, failure)
		for i := range w.Objects.Alive {
			if w.Objects.Alive[i] && !m.Has(scene.ID(i)) {
				w.swept++
			}
		}
		return m
	})
	if err != nil {
		return fmt.Errorf("between frames: %w", err)
	}
	return nil
}

// deliver lets the objects that are due at the end of this frame come to life there.
func (w *world) deliver() {
	if w.library != nil {
		w.serve.settle()
		return
	}
	if i, ok := w.LoadDue(); ok {
		w.serve.deliver(i)
	}
}

// missing returns the file that this frame's end needs, if that is still on its way.
func (w *world) missing(int) *arrival {
	if w.library != nil {
		return w.serve.overdue()
	}
	if i, ok := w.LoadDue(); ok {
		return w.serve.underway(i)
	}
	return nil
}

// still draws the picture of a frame once more, which is one of the last two.
func (w *world) still(frame int, q quality) *image.RGBA {
	r := raster.New(raster.Options{Width: q.width, Height: q.height, Samples: q.samples,
		Occlusion: true})
	c := w.context(frame)
	w.shadow.Begin(c.Casters())
	w.shadow.Setup(0, len(c.Casters()))
	w.shadow.Draw(0, w.shadow.Tiles())
	r.Begin(&c.View, &w.Light, w.shadow, c.List.Items(), c.Splats)
	r.Draw()
	return r.Image()
}

// A shot is what frames leave behind: the state with all that was heard, and the last picture.
type shot struct{ state, picture uint64 }

func (w *world) shot() shot { return shot{uint64(w.Digest()), w.renderer.Hash()} }

// sum is one number for both.
func (s shot) sum() uint64 { return uint64(vec.Hash(s.state).Word(s.picture)) }

// frameTime is how much of the scene's time a frame takes.
const frameTime = time.Second / scene.FPS
