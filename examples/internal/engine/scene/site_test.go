package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// A shelf has every prop at once, but for those that cannot be had, and holds that it is asked as
// it should be.
type shelf struct {
	t     *testing.T
	props []*scene.Prop // nil: it cannot be had
	asked map[int]int   // by site: the prop
	since map[int]uint64
	scene *scene.Scene
	taken map[int]bool

	asks, drops, cancelled, ranks int
}

func (l *shelf) Ask(site, prop int, near float32) {
	_, asked := l.asked[site]
	require.False(l.t, asked, "site %d asks twice", site)
	l.asked[site], l.since[site] = prop, l.scene.Frame
	l.asks++
}

func (l *shelf) Rank(site int, near float32) {
	require.Contains(l.t, l.asked, site)
	l.ranks++
}

func (l *shelf) Drop(site int) {
	require.Contains(l.t, l.asked, site)
	if !l.taken[site] {
		l.cancelled++
	}
	delete(l.asked, site)
	delete(l.taken, site)
	l.drops++
}

func (l *shelf) Take(site int) *scene.Prop {
	require.Contains(l.t, l.asked, site)
	require.False(l.t, l.taken[site], "site %d takes twice", site)
	require.GreaterOrEqual(l.t, l.scene.Frame, l.since[site]+scene.LoadTime)
	l.taken[site] = true
	return l.props[l.asked[site]]
}

func withProps(t *testing.T, set scene.Setting, seed uint64, coarse bool,
	props ...*scene.Prop) (*scene.Scene, *shelf) {
	t.Helper()
	s, err := scene.New(scene.Options{Setting: set, Seed: seed, Size: 1, Coarse: coarse,
		Props: len(props)})
	require.NoError(t, err)
	l := &shelf{t: t, props: props, asked: map[int]int{}, since: map[int]uint64{},
		taken: map[int]bool{}, scene: s}
	s.Library = l
	return s, l
}

// On one lap of the camera props come and go, some are read ahead and given back since it has
// turned away, and nothing is held that is not asked for. At each time there is what there should
// be: nothing near is missing for longer than a file may take, and what is far goes.
func TestSitesFollowTheCamera(t *testing.T) {
	ball, box := scene.NewProp(mesh.Sphere(0.3, 6)), scene.NewProp(mesh.Box(vec.V3(0.2, 0.5, 0.2)))
	first := scene.Mixed
	// Nothing runs beside it, so the race detector finds nothing here, and takes its time.
	if race.Enabled || testing.Short() {
		first = scene.Courtyards
	}
	for set := first; set <= scene.Courtyards; set++ {
		s, l := withProps(t, set, 2, true, ball, nil, box)
		require.Greater(t, s.Sites(), 10, "%v", set)
		most := 0
		for range 12 * scene.FPS {
			frame(t, s, nil)
			here, missing := s.SitesHere()
			require.LessOrEqual(t, missing, here)
			most = max(most, here)
			require.LessOrEqual(t, here, len(l.taken))
			require.LessOrEqual(t, len(l.taken), len(l.asked))
			require.Zero(t, s.World.Dropped)
		}
		t.Logf("%v: %d sites, %d asks, %d ranks, %d given back, %d of them unused; at most %d at "+
			"a time", set, s.Sites(), l.asks, l.ranks, l.drops, l.cancelled, most)
		require.Greater(t, most, 3)
		require.Greater(t, l.asks, most)
		require.Positive(t, l.drops)
		require.Positive(t, l.cancelled)
		require.Equal(t, l.asks-l.drops, len(l.asked))
	}
}

// A prop and a placeholder are bodies of their size, seen and swept as others are; what is held is
// given back when the body is gone.
func TestPropsAreBodies(t *testing.T) {
	s, l := withProps(t, scene.Courtyards, 1, true, scene.NewProp(mesh.Box(vec.V3(0.2, 0.4, 0.1))),
		nil)
	c := s.NewContext(1.5)
	empty := 0
	for f := range 4 * scene.FPS {
		frame(t, s, c)
		if f == 0 {
			empty = len(c.Casters())
		}
	}
	here, missing := s.SitesHere()
	require.Positive(t, missing)
	require.Greater(t, here, missing)
	require.GreaterOrEqual(t, len(c.Casters()), empty+here)
	m := s.MarkSerial()
	bodies := map[vec.Vec3]int{}
	for i, alive := range s.Objects.Alive {
		if b := s.Objects.Body[i]; alive && m.Has(scene.ID(i)) && s.World.Shape[b] == rigid.Box {
			bodies[s.World.Half[b]]++
		}
	}
	require.Equal(t, missing, bodies[vec.V3(0.3, 0.3, 0.3)])
	require.Equal(t, here-missing, bodies[vec.V3(0.2, 0.4, 0.1)])
	require.Positive(t, l.asks)
}

// Whoever plays, the same sites ask for the same in the same frame.
func TestSitesOfOneSeed(t *testing.T) {
	p := scene.NewProp(mesh.Box(vec.V3(0.2, 0.2, 0.2)))
	a, _ := withProps(t, scene.Courtyards, 3, true, p, nil)
	b, _ := withProps(t, scene.Courtyards, 3, true, p, nil)
	for f := range 60 {
		frame(t, a, nil)
		cut(t, b, nil, f)
		require.Equal(t, a.Digest(), b.Digest(), "frame %d", f)
	}
}
