package model

import (
	"fmt"
	"math"
	"sort"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// rate is how often a second a clip is sampled.
const rate = 30

// maxSamples bounds the length of a clip: an hour and more.
const maxSamples = 1 << 17

// clips samples the animations at equal times. What an animation does not move stays at rest.
func (r *reader) clips() ([]anim.Clip, error) {
	var clips []anim.Clip
	for i, a := range r.doc.Animations {
		c, err := r.clip(a)
		if err != nil {
			return nil, fmt.Errorf("animation %d: %w", i, err)
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("animation %d", i)
		}
		clips = append(clips, c)
	}
	return clips, nil
}

// A track is the keys of one channel.
type track struct {
	bone  int
	path  gltf.TRSProperty
	how   gltf.Interpolation
	times []float64
	keys  []float64
	width int // numbers a value; a key of a spline has three values
}

func (r *reader) clip(a *gltf.Animation) (anim.Clip, error) {
	c := anim.Clip{Name: a.Name}
	var tracks []track
	end := 0.0
	for i, ch := range a.Channels {
		if ch.Target.Node == nil || ch.Target.Path == gltf.TRSWeights {
			continue
		}
		t, err := r.track(a, ch)
		if err != nil {
			return c, fmt.Errorf("channel %d: %w", i, err)
		}
		tracks = append(tracks, t)
		end = max(end, t.times[len(t.times)-1])
	}
	if end*rate > maxSamples {
		return c, fmt.Errorf("%v seconds long", end)
	}
	k := &r.skeleton
	n := k.Len()
	c.Samples = max(int(math.Round(end*rate)), 1)
	c.Rate = rate
	if end > 0 {
		c.Rate = float32(float64(c.Samples) / end)
	}
	for range c.Samples {
		c.T, c.R, c.S = append(c.T, k.T...), append(c.R, k.R...), append(c.S, k.S...)
	}
	for s := range c.Samples {
		at := float64(s) / float64(c.Rate)
		for i := range tracks {
			t := &tracks[i]
			b := s*n + t.bone
			switch v := t.at(at); t.path {
			case gltf.TRSTranslation:
				c.T[b] = vec.V3(v[0], v[1], v[2])
			case gltf.TRSScale:
				c.S[b] = vec.V3(v[0], v[1], v[2])
			case gltf.TRSRotation:
				c.R[b] = vec.Quat{X: v[0], Y: v[1], Z: v[2], W: v[3]}.Normalize()
			}
		}
	}
	return c, nil
}

func (r *reader) track(a *gltf.Animation, ch *gltf.AnimationChannel) (t track, err error) {
	node := *ch.Target.Node
	if node < 0 || node >= len(r.doc.Nodes) {
		return t, fmt.Errorf("moves node %d of %d", node, len(r.doc.Nodes))
	}
	if ch.Sampler < 0 || ch.Sampler >= len(a.Samplers) {
		return t, fmt.Errorf("sampler %d of %d", ch.Sampler, len(a.Samplers))
	}
	s := a.Samplers[ch.Sampler]
	t = track{bone: r.bone[node], path: ch.Target.Path, how: s.Interpolation, width: 3}
	if t.path == gltf.TRSRotation {
		t.width = 4
	}
	if t.times, _, err = r.numbers(s.Input, 1); err != nil {
		return t, err
	}
	if t.keys, _, err = r.numbers(s.Output, t.width); err != nil {
		return t, err
	}
	values := len(t.times)
	if t.how == gltf.InterpolationCubicSpline {
		values *= 3
	}
	if len(t.times) == 0 || len(t.keys) != values*t.width {
		return t, fmt.Errorf("%d times and %d values", len(t.times), len(t.keys)/t.width)
	}
	for i, x := range t.times {
		if !(x >= 0) || math.IsInf(x, 0) || i > 0 && x <= t.times[i-1] {
			return t, fmt.Errorf("time %d is %v", i, x)
		}
	}
	for i, x := range t.keys {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return t, fmt.Errorf("value %d is %v", i/t.width, x)
		}
	}
	return t, nil
}

// key returns one of the values of a key.
func (t *track) key(i, values, value int) []float64 {
	at := (i*values + value) * t.width
	return t.keys[at : at+t.width]
}

// at returns the value at a time.
func (t *track) at(time float64) (v [4]float32) {
	values, value := 1, 0
	if t.how == gltf.InterpolationCubicSpline {
		values, value = 3, 1
	}
	set := func(f func(k int) float64) {
		for k := range t.width {
			v[k] = float32(f(k))
		}
	}
	i := sort.SearchFloat64s(t.times, time) // the first key that is not before
	if i == len(t.times) || i == 0 || t.times[i] == time {
		x := t.key(min(i, len(t.times)-1), values, value)
		set(func(k int) float64 { return x[k] })
		return v
	}
	a, b := t.key(i-1, values, value), t.key(i, values, value)
	dt := t.times[i] - t.times[i-1]
	u := (time - t.times[i-1]) / dt
	switch {
	case t.how == gltf.InterpolationStep:
		set(func(k int) float64 { return a[k] })
	case t.how == gltf.InterpolationCubicSpline:
		out, in := t.key(i-1, values, 2), t.key(i, values, 0)
		u2, u3 := u*u, u*u*u
		set(func(k int) float64 {
			return (2*u3-3*u2+1)*a[k] + dt*(u3-2*u2+u)*out[k] + (3*u2-2*u3)*b[k] + dt*(u3-u2)*in[k]
		})
	case t.path == gltf.TRSRotation:
		wa, wb := arc(a, b, u)
		set(func(k int) float64 { return wa*a[k] + wb*b[k] })
	default:
		set(func(k int) float64 { return a[k] + (b[k]-a[k])*u })
	}
	return v
}

// arc returns the weights of two rotations that turn evenly from one to the other, the shorter
// way round.
func arc(a, b []float64, u float64) (wa, wb float64) {
	dot, sign := 0.0, 1.0
	for k := range a {
		dot += a[k] * b[k]
	}
	if dot < 0 {
		dot, sign = -dot, -1
	}
	if dot > 0.9995 {
		return 1 - u, sign * u
	}
	angle := math.Acos(dot)
	return math.Sin((1-u)*angle) / math.Sin(angle), sign * math.Sin(u*angle) / math.Sin(angle)
}
