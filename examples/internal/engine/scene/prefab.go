package scene

import (
	"embed"
	"errors"
	"fmt"
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Files holds the prefabs.
//
//go:embed prefabs/*.txt
var Files embed.FS

// Prefabs names the files of Files that a scene wants, by number.
var Prefabs = [...]string{"prefabs/tower.txt", "prefabs/marbles.txt", "prefabs/brazier.txt"}

// ErrNoRoom is the error of Adopt when the scene has no room for the objects.
var ErrNoRoom = errors.New("scene: no room for more objects")

// A prefab is the parts of what is born together, as read from text.
type prefab struct {
	parts [maxParts]part
	n     int
}

const (
	maxParts  = 16
	maxFields = 6
)

// A part is a line of a prefab.
type part struct {
	verb int
	x    [maxFields]float32
}

// verbs of a prefab's lines, and how many numbers follow them.
var verbs = [...]struct {
	name   string
	fields int
}{{"box", 6}, {"ball", 4}, {"sparks", 0}, {"rumble", 0}, {"knock", 1}, {"fire", 3}, {"smoke", 3}}

const (
	verbBox = iota
	verbBall
	verbSparks
	verbRumble
	verbKnock
	verbFire
	verbSmoke
)

// onBody reports whether a verb speaks of the body before it.
func onBody(verb int) bool { return verb >= verbSparks && verb <= verbFire }

// parse reads a prefab. It allocates only for an error, which names the line.
func (p *prefab) parse(text []byte) error {
	p.n = 0
	bodies := 0
	for line := 1; len(text) > 0; line++ {
		rest := text
		for i, c := range text {
			if c == '\n' {
				rest = text[:i]
				break
			}
		}
		text = text[min(len(rest)+1, len(text)):]
		word, rest := field(rest)
		if len(word) == 0 || word[0] == '#' {
			continue
		}
		if p.n == maxParts {
			return fmt.Errorf("line %d: more than %d parts", line, maxParts)
		}
		pt := &p.parts[p.n]
		pt.verb = -1
		for v := range verbs {
			if string(word) == verbs[v].name {
				pt.verb = v
			}
		}
		if pt.verb < 0 {
			return fmt.Errorf("line %d: no part is called %q", line, word)
		}
		for k := range verbs[pt.verb].fields {
			word, rest = field(rest)
			x, ok := number(word)
			if !ok {
				return fmt.Errorf("line %d: %s takes %d numbers; number %d is %q", line,
					verbs[pt.verb].name, verbs[pt.verb].fields, k+1, word)
			}
			pt.x[k] = x
		}
		if word, _ = field(rest); len(word) > 0 {
			return fmt.Errorf("line %d: %q is left over", line, word)
		}
		switch {
		case pt.verb <= verbBall:
			bodies++
			for _, x := range pt.x[3:verbs[pt.verb].fields] {
				if x < 0.01 || x > 10 {
					return fmt.Errorf("line %d: a size of %v metres: 0.01 to 10 are possible", line,
						x)
				}
			}
		case onBody(pt.verb) && bodies == 0:
			return fmt.Errorf("line %d: %s before any body", line, verbs[pt.verb].name)
		}
		p.n++
	}
	return nil
}

// field returns the first word of a line and what follows it.
func field(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
		i++
	}
	j := i
	for j < len(line) && line[j] != ' ' && line[j] != '\t' && line[j] != '\r' {
		j++
	}
	return line[i:j], line[j:]
}

// number reads a number such as -12.5.
func number(word []byte) (float32, bool) {
	sign, x, scale, digits, point := 1., 0., 1., 0, false
	for i, c := range word {
		switch {
		case c == '-' && i == 0:
			sign = -1
		case c == '.' && !point:
			point = true
		case c >= '0' && c <= '9':
			x = x*10 + float64(c-'0')
			digits++
			if point {
				scale *= 10
			}
		default:
			return 0, false
		}
	}
	x = sign * x / scale
	return float32(x), digits > 0 && digits < 15 && math.Abs(x) < 1e6
}

// Adopt makes the objects of a prefab's text, under a new root. It is sequential, between
// frames. The error is ErrNoRoom or says what is wrong with the text; then nothing was made.
func (s *Scene) Adopt(text []byte) error {
	p := &s.prefab
	if err := p.parse(text); err != nil {
		return err
	}
	var bodies, emitters, voices int
	for _, pt := range p.parts[:p.n] {
		switch pt.verb {
		case verbBox, verbBall:
			bodies++
		case verbSparks, verbFire, verbSmoke:
			emitters++
		case verbRumble, verbKnock:
			voices++
		}
	}
	if !s.Objects.room(2*p.n+2) || len(s.Roots) == cap(s.Roots) ||
		s.World.Living()+bodies >= s.World.Slots() ||
		len(s.free[Emitter]) < emitters || len(s.free[Voice]) < voices {
		return ErrNoRoom
	}
	r := vec.RandAt(s.Seed, 7, uint64(s.loads))
	base := s.centers[s.loads%len(s.centers)].Add(vec.V3(r.Range(-4, 4), 0, r.Range(-1, 4)))
	s.loads++
	root := s.Objects.add(Group, 0, 0)
	s.Roots = append(s.Roots, root)
	last := None
	for _, pt := range p.parts[:p.n] {
		at := base.Add(vec.V3(pt.x[0], pt.x[1], pt.x[2]))
		var id ID
		switch pt.verb {
		case verbBox:
			id = s.thing(rigid.Body{Shape: rigid.Box, Pos: at,
				Half: vec.V3(pt.x[3], pt.x[4], pt.x[5])}, lookCrate, crateTint(&r))
			last = id
		case verbBall:
			id = s.thing(rigid.Body{Shape: rigid.Ball, Pos: at, Half: vec.V3(pt.x[3], 0, 0),
				Bounce: 0.4}, lookBall, ballTint(&r))
			last = id
		case verbSparks:
			id = s.emitter(sparks(), last, -1, vec.Vec3{})
		case verbFire:
			id = s.emitter(fire(), last, -1, vec.V3(pt.x[0], pt.x[1], pt.x[2]))
		case verbSmoke:
			e := smoke()
			e.Pos = at
			id = s.emitter(e, None, -1, vec.Vec3{})
		case verbRumble:
			id = s.voice(audio.Note{Sound: audio.Rumble, Pitch: 200}, 0.5, last, vec.Vec3{})
		case verbKnock:
			id = s.voice(audio.Note{Sound: audio.Knock, Pitch: pt.x[0]}, 0.8, last, vec.Vec3{})
		}
		s.Objects.hold(root, id)
	}
	s.dirty = true
	return nil
}

// attach fixes an object to another, which is there already.
func (s *Scene) attach(i, on ID, bone int, local vec.Mat4) {
	s.Objects.attach(i, on, bone, local)
	if b := s.Objects.Body[on]; b != 0 {
		at := s.World.Matrix(int(b))
		s.Objects.Place[i] = at.Point(local.Pos())
	}
}

// thing makes a body that forces move, and its object.
func (s *Scene) thing(b rigid.Body, kind uint8, tint vec.Vec3) ID {
	b.Kind = rigid.Forces
	if b.Friction == 0 {
		b.Friction = 0.6
	}
	body := s.body(b, kind, tint)
	return s.Objects.add(Thing, 0, body)
}

// body adds a body; there is room.
func (s *Scene) body(b rigid.Body, kind uint8, tint vec.Vec3) int {
	i, err := s.World.Add(b)
	if err != nil {
		panic(err)
	}
	s.bodyLook[i] = look{tint, kind}
	for h := range s.Placed {
		if p := &s.Placed[h]; p.Mat != nil {
			p.Mat[i], p.Vel[i], p.Impact[i] = s.World.Matrix(i), b.Vel, 0
		}
	}
	return i
}

// emitter makes an emitter, fixed to an object or to the world at its place.
func (s *Scene) emitter(e particle.Emitter, on ID, bone int, local vec.Vec3) ID {
	slot, _ := s.take(Emitter)
	e.On = true
	s.Particles.Emitters[slot] = e
	id := s.Objects.add(Emitter, slot, 0)
	if on != None {
		s.attach(id, on, bone, vec.Translation(local))
		s.Particles.Emitters[slot].Pos = s.Objects.Place[id]
	}
	s.Particles.Reset(slot)
	return id
}

// voice makes a voice, fixed to an object or to the world at a place.
func (s *Scene) voice(n audio.Note, gain float32, on ID, at vec.Vec3) ID {
	slot, _ := s.take(Voice)
	n.New = true
	s.voices[slot] = voice{n, gain, at}
	id := s.Objects.add(Voice, slot, 0)
	if on != None {
		s.attach(id, on, -1, vec.Ident)
	}
	return id
}

func fire() particle.Emitter {
	return particle.Emitter{
		Dir: vec.V3(0, 1, 0), Spread: 0.25, Radius: 0.18, Speed: 1.3, Life: 0.9, Gravity: -0.8,
		Drag: 0.6,
		Size: 0.26, Grow: -0.16, Color: vec.V3(1.6, 0.6, 0.14), Fade: vec.V3(0.7, 0.08, 0.01),
		Glow: true,
	}
}

func smoke() particle.Emitter {
	return particle.Emitter{
		Dir: vec.V3(0.25, 1, 0.1).Normalize(), Spread: 0.25, Radius: 0.15, Speed: 1, Life: 3.2,
		Gravity: -0.25, Drag: 0.3,
		Size: 0.25, Grow: 0.32, Color: vec.V3(0.42, 0.41, 0.4), Fade: vec.V3(0.55, 0.55, 0.56),
	}
}

func sparks() particle.Emitter {
	return particle.Emitter{
		Dir: vec.V3(0, 1, 0), Spread: 0.7, Radius: 0.05, Speed: 2.2, Life: 0.8, Gravity: 7,
		Drag: 0.3,
		Size: 0.035, Color: vec.V3(8, 3, 0.7), Fade: vec.V3(3, 0.5, 0.05), Glow: true,
	}
}

func crateTint(r *vec.Rand) vec.Vec3 {
	return vec.V3(1, 1, 1).Lerp(vec.V3(0.75, 0.9, 0.7), r.Float32()).Scale(r.Range(0.75, 1.15))
}

func ballTint(r *vec.Rand) vec.Vec3 {
	hues := [4]vec.Vec3{{X: 0.7, Y: 0.08, Z: 0.05}, {X: 0.05, Y: 0.25, Z: 0.6},
		{X: 0.85, Y: 0.55, Z: 0.08}, {X: 0.75, Y: 0.75, Z: 0.72}}
	return hues[r.Intn(len(hues))]
}
