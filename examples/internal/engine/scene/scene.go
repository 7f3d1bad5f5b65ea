package scene

import (
	"fmt"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/cloth"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

const (
	// FPS is how many frames make a second of the scene's time.
	FPS = 60
	// DT is the time that a frame takes in the scene.
	DT = float32(1) / FPS
	// MaxSize is the largest size of a scene.
	MaxSize = 256
	// CollectEvery is the number of frames from one sweep to the next.
	CollectEvery = 20
	// LoadEvery is the number of frames from one load's order to the next.
	LoadEvery = 24
	// LoadTime is the number of frames from a load's order to its objects' birth.
	LoadTime = 10
)

// A Scene is the state of the world and of what a frame needs besides.
type Scene struct {
	Seed    uint64
	Size    int
	Setting Setting
	Variant Variant
	Frame   uint64 // the frame under way; Begin counts it up

	Objects Objects
	Part    Partition
	Roots   []ID // what is to live, and all that it holds

	World     *rigid.World
	Crowd     *anim.Crowd
	Particles *particle.System
	Cloth     *cloth.Set
	Static    draw.Static
	Mixer     *audio.Mixer
	Light     raster.Light
	// Library has the props for the sites. It is set before the first frame of a scene that has
	// any.
	Library Library

	// Placed has where bodies are, a half for even frames and one for odd.
	Placed [2]Placed
	// Scores has what is to be heard, likewise.
	Scores [2]audio.Score
	// Heard is the sum over all blocks of sound so far.
	Heard vec.Hash

	Eye, Target vec.Vec3 // of the camera
	Wind        vec.Vec3

	detail    *detail
	path      draw.Path
	fit       vec.Mat4 // of figures
	occluders []vec.Mat4
	centers   []vec.Vec3 // of the plots
	area      vec.AABB
	bodyLook  []look       // by slot of World
	figures   []walk       // by slot of Crowd
	colors    [][]vec.Vec3 // of their vertices
	engines   []engine     // by slot
	voices    []voice      // by slot
	doll      *Doll        // nil: no figure is limp
	limbBones []int        // with which figures push others; the first one is the hand that drags
	limbs     [][]limb     // by slot of Crowd
	joints    [][]joint    // by slot of Crowd; nil: the figure is no doll
	driven    [][]anim.Driven
	groups    int32      // of bodies that do not collide
	patchLook []vec.Vec3 // by slot of Cloth
	free      [kinds][]int32
	used      [kinds][]bool
	dirty     bool
	marks     Marks
	prefab    prefab
	sites     []site
	props     []*Prop  // by slot of World; nil: it is none
	lastEye   vec.Vec3 // in the frame before
	loads     int      // adopted so far
}

// Placed is where bodies are after a frame's simulation, by slot of the world.
type Placed struct {
	Mat    []vec.Mat4
	Vel    []vec.Vec3
	Impact []float32
}

// A look is how a body is drawn.
type look struct {
	tint vec.Vec3
	kind uint8 // index of materials
}

// A walk is what moves a figure about.
type walk struct {
	center vec.Vec3
	radius float32 // of the circle that it walks; 0: it stays
	speed  float32 // metres a second along it
	angle  float32
}

// An engine is what moves a body on rails: to and fro along an arm, and round.
type engine struct {
	center vec.Vec3
	swing  vec.Vec3
	rate   float32 // radians a second of the swing
	phase  float32
	turn   float32 // radians a second about Y
}

// A voice is what one is heard of.
type voice struct {
	note audio.Note
	gain float32
	at   vec.Vec3
}

// Options say what a scene is made of.
type Options struct {
	Setting Setting
	Seed    uint64
	Size    int    // the number of plots; 0: what suits the setting
	Model   *Model // what figures look like; nil: people
	Props   int    // how many props the sites have to choose from; 0: there are no sites
	Coarse  bool   // few of everything, and that coarse, for tests of very many frames
}

// New returns a scene before its first frame. The error says what is wrong with the size or the
// model.
func New(o Options) (*Scene, error) {
	if o.Size == 0 {
		o.Size = o.Setting.Size()
	}
	if o.Size < 1 || o.Size > MaxSize {
		return nil, fmt.Errorf("size %d: must be 1 to %d", o.Size, MaxSize)
	}
	st := &stagings[o.Setting]
	d := fine
	if o.Coarse {
		d = coarse
	} else {
		if st.cols > 0 {
			d.cols, d.rows, d.gap = st.cols, st.rows, st.gap
		}
		if !st.near {
			d.model = lighter
		}
	}
	if o.Model != nil {
		d.model = func() Model { return *o.Model }
	}
	s := &Scene{Seed: o.Seed, Size: o.Size, Setting: o.Setting, Variant: Split,
		Light: raster.Evening()}
	if err := s.build(&d, st, o.Props); err != nil {
		return nil, err
	}
	s.marks = s.NewMarks()
	s.Classify()
	s.PostPhysics(0, s.World.Slots())
	s.Placed[1] = s.Placed[0].clone()
	return s, nil
}

func (p *Placed) clone() Placed {
	q := newPlaced(len(p.Mat))
	copy(q.Mat, p.Mat)
	copy(q.Vel, p.Vel)
	copy(q.Impact, p.Impact)
	return q
}

func newPlaced(n int) Placed {
	return Placed{make([]vec.Mat4, n), make([]vec.Vec3, n), make([]float32, n)}
}

// now returns the half that this frame's simulation writes; shown the one that dependents read.
func (s *Scene) now() *Placed { return &s.Placed[s.Frame&1] }

func (s *Scene) shown() *Placed {
	if s.Variant == Lagged {
		return &s.Placed[(s.Frame+1)&1]
	}
	return s.now()
}

// Score returns what is to be heard of the frame under way. The next frame but one writes it
// again.
func (s *Scene) Score() audio.Score { return s.Scores[s.Frame&1] }

// take returns a free slot of a kind and whether there was one.
func (s *Scene) take(k Kind) (int, bool) {
	f := s.free[k]
	if len(f) == 0 {
		return 0, false
	}
	i := f[len(f)-1]
	s.free[k] = f[:len(f)-1]
	s.used[k][i] = true
	return int(i), true
}

func (s *Scene) slots(k Kind, n int) {
	s.free[k], s.used[k] = make([]int32, n), make([]bool, n)
	for i := range n {
		s.free[k][i] = int32(n - 1 - i)
	}
}
