package audio_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

func score(block int) audio.Score {
	f := float32(block)
	return audio.Score{
		{Sound: audio.Hum, Left: 0.3, Right: 0.1 + 0.1*vec.Sin(f/9), Pitch: 220 + 20*vec.Sin(f/5)},
		{Sound: audio.Rumble, Left: 0.2, Right: 0.2, Pitch: 400},
		{Sound: audio.Knock, Left: 0.4, Right: 0.5, Pitch: 700, Hit: float32((block % 20) / 19)},
	}
}

// block mixes the next block.
func block(m *audio.Mixer, s audio.Score) []float32 {
	m.Voices(s, 0, len(s))
	m.Mix(0, m.Samples())
	return m.Out()
}

// TestTone counts the waves of a hum and measures its loudness in each ear.
func TestTone(t *testing.T) {
	m := audio.New(1, 60)
	s := audio.Score{{Sound: audio.Hum, Left: 0.5, Pitch: 440}}
	block(m, s) // fades in
	ups, last, peak := 0, float32(0), float32(0)
	for range 60 {
		out := block(m, s)
		if len(out) != 1600 {
			t.Fatalf("a block of %d samples", len(out))
		}
		for i := 0; i < len(out); i += 2 {
			if last < 0 && out[i] >= 0 {
				ups++
			}
			last, peak = out[i], max(peak, out[i])
			if out[i+1] != 0 {
				t.Fatal("the right ear hears the left voice")
			}
		}
	}
	if ups < 438 || ups > 442 {
		t.Errorf("%d waves in a second of 440 Hz", ups)
	}
	if peak < 0.25 || peak > 0.4 {
		t.Errorf("peak %v", peak)
	}
}

// TestNoClicks holds that no sample jumps when gains and pitches do, and that all stays in
// bounds.
func TestNoClicks(t *testing.T) {
	m := audio.New(1, 60)
	last := float32(0)
	for b := range 40 {
		n := audio.Note{Sound: audio.Hum, Pitch: 200}
		if b%3 == 1 {
			n.Left, n.Pitch = 1, 300
		}
		out := block(m, audio.Score{n})
		for i := 0; i < len(out); i += 2 {
			if d := vec.Abs(out[i] - last); d > 0.08 {
				t.Fatalf("block %d: a jump of %v", b, d)
			}
			last = out[i]
			if !(vec.Abs(last) <= 1) {
				t.Fatalf("block %d: sample %v", b, last)
			}
		}
	}
}

// TestKnockDies holds that a struck voice sounds at once and is silent in the end.
func TestKnockDies(t *testing.T) {
	m := audio.New(1, 60)
	peak := func(hit float32) (p float32) {
		for _, x := range block(m,
			audio.Score{{Sound: audio.Knock, Left: 1, Right: 1, Pitch: 500, Hit: hit}}) {
			p = max(p, vec.Abs(x))
		}
		return p
	}
	if p := peak(0); p != 0 {
		t.Errorf("not struck: peak %v", p)
	}
	first := peak(1)
	if first < 0.02 {
		t.Errorf("struck: peak %v", first)
	}
	var last float32
	for range 200 {
		last = peak(0)
	}
	if last != 0 {
		t.Errorf("after three seconds: peak %v", last)
	}
}

// TestNewVoiceOwesNothing holds that a voice that begins anew does not ring on.
func TestNewVoiceOwesNothing(t *testing.T) {
	m := audio.New(1, 60)
	block(m, audio.Score{{Sound: audio.Knock, Left: 1, Right: 1, Pitch: 500, Hit: 1}})
	for i, x := range block(m,
		audio.Score{{Sound: audio.Knock, Left: 1, Right: 1, Pitch: 500, New: true}}) {
		if x != 0 {
			t.Fatalf("sample %d is %v", i, x)
		}
	}
}

// TestPlace holds that the right side is heard on the right and that far is soft.
func TestPlace(t *testing.T) {
	var right, left, far audio.Note
	x := vec.V3(1, 0, 0)
	right.Place(vec.V3(3, 0, 0), vec.Vec3{}, x, 1)
	left.Place(vec.V3(-3, 0, 0), vec.Vec3{}, x, 1)
	far.Place(vec.V3(30, 0, 0), vec.Vec3{}, x, 1)
	if right.Right <= right.Left || left.Left != right.Right || far.Right >= right.Right/10 {
		t.Errorf("right %+v, left %+v, far %+v", right, left, far)
	}
}

// TestCutsDoNotMatter mixes one mixer whole and another in uneven ranges from behind.
func TestCutsDoNotMatter(t *testing.T) {
	a, b := audio.New(3, 60), audio.New(3, 60)
	for f := range 50 {
		block(a, score(f))
		for v := 2; v >= 0; v-- {
			b.Voices(score(f), v, v+1)
		}
		for hi := b.Samples(); hi > 0; {
			lo := max(0, hi-97)
			b.Mix(lo, hi)
			hi = lo
		}
		if a.Digest(0) != b.Digest(0) {
			t.Fatalf("the cut shows in block %d", f)
		}
	}
}

func TestWAV(t *testing.T) {
	var b bytes.Buffer
	if err := audio.WriteWAV(&b, []float32{0, 1, -1, 2}); err != nil {
		t.Fatal(err)
	}
	got := b.Bytes()
	if len(got) != 52 || string(got[:4]) != "RIFF" || string(got[8:16]) != "WAVEfmt " ||
		binary.LittleEndian.Uint32(got[4:]) != 44 {
		t.Fatalf("header %q", got[:44])
	}
	for i, want := range []int16{0, 32767, -32767, 32767} {
		if v := int16(binary.LittleEndian.Uint16(got[44+2*i:])); v != want {
			t.Errorf("sample %d is %d, want %d", i, v, want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	m := audio.New(3, 60)
	s := score(19)
	if n := testing.AllocsPerRun(10, func() { block(m, s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
