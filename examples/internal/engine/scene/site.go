package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A site is a place where a prop is while the camera is near. What becomes of it in which frame
// follows from where the camera is alone, and not from how long a file takes.
type site struct {
	at    vec.Vec3 // on the ground
	turn  float32
	prop  int
	state siteState
	since uint64 // the frame in which the prop was asked for
	thing ID
}

type siteState uint8

const (
	siteAway siteState = iota // nothing is there, or on its way
	siteAsked
	siteDue     // the prop comes at the end of this frame
	siteHere    // it is there
	siteLeaving // it goes at the end of this frame
	siteGone    // nothing holds it; the next sweep finds it
)

// Distances of a site from the camera, in metres over the ground.
const (
	siteGap  = 2.6 // from one site to the next
	siteEdge = 5   // from the plots to the last ones

	nearSite = 9              // a prop is there
	farSite  = nearSite + 2   // it goes
	lostSite = nearSite + 0.5 // what is on its way is not waited for any more
	siteRank = 8              // frames from one Rank to the next
	readTime = 3 * FPS / 2    // frames that the camera is followed ahead, along its motion
)

// sitesAcross returns how many sites there are at most in a row along each side of an area.
func sitesAcross(area vec.AABB) (nx, nz int) {
	size := area.Max.Sub(area.Min)
	return int((size.X + 2*siteEdge) / siteGap), int((size.Z + 2*siteEdge) / siteGap)
}

// addSites scatters sites over the plots and what is around them, but where something stands or
// lies at the beginning, and says for each which of so many props it has.
func (s *Scene) addSites(props int) {
	nx, nz := sitesAcross(s.area)
	r := vec.RandAt(s.Seed, 9, 0)
	for k := range nx * nz {
		at := vec.V3(
			s.area.Min.X-siteEdge+siteGap*(float32(k%nx)+r.Range(0.3, 0.7)), 0,
			s.area.Min.Z-siteEdge+siteGap*(float32(k/nx)+r.Range(0.3, 0.7)),
		)
		w := site{at: at, turn: r.Range(0, 2*vec.Pi), prop: r.Intn(props), thing: None}
		if s.vacant(at) {
			s.sites = append(s.sites, w)
		}
	}
}

// vacant reports whether there is room for a prop.
func (s *Scene) vacant(at vec.Vec3) bool {
	const room = mostHalf + 0.1
	for i := 1; i < s.World.Slots(); i++ {
		half := s.World.Half[i]
		if s.World.Kind[i] == rigid.Gone || s.World.Pos[i].Y-half.Len() > 2*mostHalf {
			continue
		}
		x, z := half.X, half.Z
		if s.World.Shape[i] == rigid.Ball {
			z = x
		}
		if d := s.World.Pos[i].Sub(at); vec.Abs(d.X) < x+room && vec.Abs(d.Z) < z+room {
			return false
		}
	}
	for i, used := range s.used[Figure] {
		if d := s.Crowd.Root[i].Pos().Sub(at); used && vec.Abs(d.X) < room && vec.Abs(d.Z) < room {
			return false
		}
	}
	return true
}

// Sites returns how many sites there are: none, unless Options.Props says that there are props.
func (s *Scene) Sites() int { return len(s.sites) }

// across returns the distance of two points over the ground.
func across(a, b vec.Vec3) float32 {
	d := a.Sub(b)
	d.Y = 0
	return d.Len()
}

// LookAhead finds out for the sites [lo, hi) whether the camera comes near, and asks the library
// for their props, ranks what is on its way, or gives it back when the camera has turned away. It
// comes after Begin.
func (s *Scene) LookAhead(lo, hi int) {
	ahead := s.Eye.AddScaled(s.Eye.Sub(s.lastEye), readTime)
	for i := lo; i < hi; i++ {
		w := &s.sites[i]
		near := across(w.at, s.Eye)
		soon := min(near, across(w.at, ahead))
		switch w.state {
		case siteAway:
			if soon < nearSite {
				w.state, w.since = siteAsked, s.Frame
				s.Library.Ask(i, w.prop, near)
			}
		case siteAsked:
			switch {
			case soon >= lostSite:
				w.state = siteAway
				s.Library.Drop(i)
			case near < nearSite && s.Frame >= w.since+LoadTime:
				w.state = siteDue
			case (s.Frame+uint64(i))%siteRank == 0:
				s.Library.Rank(i, near)
			}
		case siteHere:
			if near >= farSite {
				w.state = siteLeaving
			}
		}
	}
}

// DueSites appends to list the sites whose props come at the end of this frame. It comes after
// LookAhead.
func (s *Scene) DueSites(list []int) []int {
	for i := range s.sites {
		if s.sites[i].state == siteDue {
			list = append(list, i)
		}
	}
	return list
}

// Settle brings to life the props that come at the end of this frame. It is sequential, and comes
// between the frame and its End.
func (s *Scene) Settle() {
	for i := range s.sites {
		w := &s.sites[i]
		if w.state != siteDue {
			continue
		}
		if !s.Objects.room(1) || len(s.Roots) == cap(s.Roots) ||
			s.World.Living()+1 >= s.World.Slots() {
			w.state = siteAsked // and it is there as soon as there is room
			continue
		}
		p, kind := s.Library.Take(i), lookProp
		if p == nil {
			p, kind = placeholder, lookMissing
		}
		w.state = siteHere
		w.thing = s.thing(rigid.Body{
			Shape: rigid.Box, Half: p.Half, Pos: w.at.Add(vec.V3(0, p.Half.Y+0.01, 0)),
			Rot: vec.AxisAngle(vec.V3(0, 1, 0), w.turn), Friction: 0.8,
		}, kind, vec.V3(1, 1, 1))
		s.props[s.Objects.Body[w.thing]] = p
		s.Roots = append(s.Roots, w.thing)
		s.dirty = true
	}
}

// leaveSites gives up the roots of props that are far away. What they hold dies in the next sweep.
func (s *Scene) leaveSites() {
	for i := range s.sites {
		w := &s.sites[i]
		if w.state != siteLeaving {
			continue
		}
		w.state = siteGone
		for k, r := range s.Roots {
			if r == w.thing {
				s.Roots = append(s.Roots[:k], s.Roots[k+1:]...)
				break
			}
		}
	}
}

// clearSites gives back the props of what a sweep has found dead.
func (s *Scene) clearSites() {
	for i := range s.sites {
		w := &s.sites[i]
		if w.state == siteGone && !s.Objects.Alive[w.thing] {
			s.props[s.Objects.Body[w.thing]] = nil
			w.state, w.thing = siteAway, None
			s.Library.Drop(i)
		}
	}
}

// SitesHere returns how many props are there, and how many of them are placeholders.
func (s *Scene) SitesHere() (here, missing int) {
	for i := range s.sites {
		if w := &s.sites[i]; w.state == siteHere {
			here++
			if s.bodyLook[s.Objects.Body[w.thing]].kind == lookMissing {
				missing++
			}
		}
	}
	return here, missing
}
