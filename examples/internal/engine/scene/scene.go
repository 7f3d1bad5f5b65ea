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
	centers   []vec.Vec3   // of the courtyards
	bodyLook  []look       // by slot of World
	figures   []walk       // by slot of Crowd
	colors    [][]vec.Vec3 // of their vertices
	engines   []engine     // by slot
	voices    []voice      // by slot
	patchLook []vec.Vec3   // by slot of Cloth
	free      [kinds][]int32
	used      [kinds][]bool
	dirty     bool
	marks     Marks
	prefab    prefab
	loads     int // adopted so far
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

// New returns a scene of a seed and a size, which is the number of courtyards, before its
// first frame. The error says what is wrong with the size.
func New(seed uint64, size int) (*Scene, error) {
	return create(seed, size, &fine)
}

// NewOf is New with figures of another model, or the error says what is wrong with it.
func NewOf(seed uint64, size int, m Model) (*Scene, error) {
	d := fine
	d.model = func() Model { return m }
	return create(seed, size, &d)
}

// NewSmall returns a scene of one courtyard that is coarse in everything, for tests of very
// many frames. It has all that happens in others.
func NewSmall(seed uint64) (*Scene, error) { return create(seed, 1, &coarse) }

func create(seed uint64, size int, d *detail) (*Scene, error) {
	if size < 1 || size > MaxSize {
		return nil, fmt.Errorf("size %d: must be 1 to %d", size, MaxSize)
	}
	s := &Scene{Seed: seed, Size: size, Variant: Split, Light: raster.Evening()}
	if err := s.build(d); err != nil {
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
