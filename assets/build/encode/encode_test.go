package encode_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mewkiz/flac"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
	"github.com/stretchr/testify/require"
	"github.com/woozymasta/bcn"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/assets/pipes"
)

// wood is a picture with edges, gradients and a little noise, with alpha or without.
func wood(w, h int, alpha bool) *image.NRGBA {
	r := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			ring := math.Sin(float64(x*x+y*y)/500) * 40
			c := color.NRGBA{uint8(140 + ring + float64(r.IntN(8))), uint8(90 + ring),
				uint8(50 + y/4%50), 255}
			if alpha {
				c.A = uint8(x * 255 / w)
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// psnr returns how close two pictures are, in dB.
func psnr(a, b *image.NRGBA) float64 {
	sum := 0.0
	for i := range a.Pix {
		d := float64(a.Pix[i]) - float64(b.Pix[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a.Pix))/sum)
}

// TestTexture decodes what was encoded: each level of the chain has its size, and the largest is
// close to the source.
func TestTexture(t *testing.T) {
	for _, test := range []struct {
		w, h   int
		alpha  bool
		o      encode.TextureOptions
		format bcn.Format
		least  float64 // dB
		levels int
	}{
		{64, 64, false, encode.TextureOptions{}, bcn.FormatBC7, 42, 7},
		{64, 32, true, encode.TextureOptions{}, bcn.FormatBC7, 42, 7},
		{64, 64, false, encode.TextureOptions{Small: true}, bcn.FormatBC1, 36, 7},
		{64, 64, true, encode.TextureOptions{Small: true, Quality: 6}, bcn.FormatBC3, 36, 7},
		{13, 7, false, encode.TextureOptions{}, bcn.FormatBC7, 40, 4}, // no multiple of a block
		{1, 1, false, encode.TextureOptions{}, bcn.FormatBC7, 40, 1},
	} {
		name := fmt.Sprintf("%d x %d %+v", test.w, test.h, test.o)
		m := wood(test.w, test.h, test.alpha)
		out, err := encode.Texture(test.o).Encode(pngOf(t, m), pipes.Limits{})
		require.NoError(t, err, name)
		dds, err := bcn.ReadDDS(bytes.NewReader(out))
		require.NoError(t, err, name)
		require.Equal(t, test.format, dds.Format, name)
		levels := dds.Faces[0].Mipmaps
		require.Len(t, levels, test.levels, name)
		block := 16
		if test.format == bcn.FormatBC1 {
			block = 8
		}
		mean := func(m *image.NRGBA) (sum float64) {
			for i := 1; i < len(m.Pix); i += 4 {
				sum += float64(m.Pix[i])
			}
			return sum / float64(len(m.Pix)/4)
		}
		for i, level := range levels {
			w, h := max(test.w>>i, 1), max(test.h>>i, 1)
			require.Len(t, level, (w+3)/4*((h+3)/4)*block, name)
			small, err := bcn.DecodeImage(level, w, h, test.format)
			require.NoError(t, err)
			require.InDelta(t, mean(m), mean(small), 25, "%s: level %d is the same picture",
				name, i)
		}
		found, err := encode.Decoders()["dds"].Decode(out, pipes.Limits{}.OrDefault())
		require.NoError(t, err, name)
		require.GreaterOrEqual(t, psnr(m, found.Value.(*image.NRGBA)), test.least, name)
	}
}

// TestTextureSide halves what is too long, and takes any format of pictures.
func TestTextureSide(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, wood(100, 40, false), nil))
	out, err := encode.Texture(encode.TextureOptions{Side: 30}).Encode(b.Bytes(), pipes.Limits{})
	require.NoError(t, err)
	found, err := encode.Decoders()["dds"].Decode(out, pipes.Limits{}.OrDefault())
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 25, 10), found.Value.(*image.NRGBA).Rect)
	require.PanicsWithValue(t,
		"encode: texture options out of range: {Small:false Quality:11 Side:0}",
		func() { encode.Texture(encode.TextureOptions{Quality: 11}) })
}

// A tone is what the tests hear.
type tone struct {
	rate, channels, bits int
	samples              []int32 // by turns
}

func newTone(channels, bits, n int) tone {
	r := rand.New(rand.NewPCG(3, uint64(bits)))
	s := tone{44100, channels, bits, nil}
	top := float64(int64(1)<<(bits-1)) - 1
	for i := range n {
		for c := range channels {
			v := 0.7 * math.Sin(float64(i)*0.05+float64(c)*0.1) * top
			s.samples = append(s.samples, int32(v)+int32(r.IntN(3))-1)
		}
	}
	return s
}

// wav returns the file of a tone, with a chunk before that says nothing of it.
func (s tone) wav() []byte {
	wide := s.bits / 8
	b := []byte("RIFF\x00\x00\x00\x00WAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(s.channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.rate*s.channels*wide))
	b = binary.LittleEndian.AppendUint16(b, uint16(s.channels*wide))
	b = binary.LittleEndian.AppendUint16(b, uint16(s.bits))
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(len(s.samples)*wide))
	for _, v := range s.samples {
		if wide == 1 {
			v += 128
		}
		b = append(b, binary.LittleEndian.AppendUint32(nil, uint32(v))[:wide]...)
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// TestFLAC loses nothing: the samples come out as they went in.
func TestFLAC(t *testing.T) {
	for _, bits := range []int{8, 16, 24} {
		for _, channels := range []int{1, 2} {
			for _, n := range []int{1, 15, 4096, 10_000} {
				name := fmt.Sprintf("%d bits, %d channels, %d samples", bits, channels, n)
				in := newTone(channels, bits, n)
				out, err := encode.FLAC().Encode(in.wav(), pipes.Limits{})
				require.NoError(t, err, name)
				s, err := flac.New(bytes.NewReader(out))
				require.NoError(t, err, name)
				require.EqualValues(t, n, s.Info.NSamples, name)
				require.EqualValues(t, 44100, s.Info.SampleRate, name)
				found, err := encode.Decoders()["flac"].Decode(out, pipes.Limits{}.OrDefault())
				require.NoError(t, err, name)
				scale := float64(int64(1) << (bits - 1))
				for i, v := range found.Value.(*pipes.Sound).Samples {
					require.EqualValues(t, in.samples[i], float64(v)*scale, "%s: %d", name, i)
				}
				require.Len(t, found.Value.(*pipes.Sound).Samples, len(in.samples), name)
				same, err := encode.Decoders()["wav"].Decode(in.wav(), pipes.Limits{}.OrDefault())
				require.NoError(t, err, name)
				require.Equal(t, same.Value, found.Value, name)
				if n == 10_000 {
					require.Less(t, len(out), len(in.wav())*9/10, name)
				}
			}
		}
	}
}

// grid is a square of n x n quads, with its triangles in random order.
func grid(n int) (indices []uint32) {
	for y := range n {
		for x := range n {
			a := uint32(y*(n+1) + x)
			indices = append(indices, a, a+1, a+uint32(n)+1, a+1, a+uint32(n)+2, a+uint32(n)+1)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	r.Shuffle(len(indices)/3, func(i, j int) {
		for k := range 3 {
			indices[3*i+k], indices[3*j+k] = indices[3*j+k], indices[3*i+k]
		}
	})
	return indices
}

// acmr returns the average cache miss ratio: vertices that are fetched for each triangle, by a
// cache of so many, first in, first out.
func acmr(indices []uint32, size int) float64 {
	var fifo []uint32
	missed := 0
	for _, v := range indices {
		if !slices.Contains(fifo, v) {
			missed++
			fifo = append(fifo, v)
			if len(fifo) > size {
				fifo = fifo[1:]
			}
		}
	}
	return float64(missed) / float64(len(indices)/3)
}

// sorted returns triangles in the order of their numbers.
func sorted(indices []uint32) [][3]uint32 {
	var out [][3]uint32
	for i := 0; i < len(indices); i += 3 {
		out = append(out, [3]uint32(indices[i:]))
	}
	slices.SortFunc(out, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	return out
}

// model returns the GLB of a mesh.
func model(t testing.TB, indices []uint32) []byte {
	t.Helper()
	doc := gltf.NewDocument()
	positions := make([][3]float32, slices.Max(indices)+1)
	for i := range positions {
		positions[i] = [3]float32{float32(i), float32(i % 7), 1}
	}
	var narrow any = indices
	if len(positions) < 1<<16 {
		short := make([]uint16, len(indices))
		for i, v := range indices {
			short[i] = uint16(v)
		}
		narrow = short
	}
	p := &gltf.Primitive{Indices: gltf.Index(modeler.WriteIndices(doc, narrow)),
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: modeler.WritePosition(doc, positions)}}
	doc.Meshes = []*gltf.Mesh{{Name: "grid", Primitives: []*gltf.Primitive{p}}}
	doc.Nodes = []*gltf.Node{{Mesh: gltf.Index(0)}}
	doc.Scenes[0].Nodes = []int{0}
	return glb(t, doc)
}

func glb(t testing.TB, doc *gltf.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	e := gltf.NewEncoder(&b)
	e.AsBinary = true
	require.NoError(t, e.Encode(doc))
	return b.Bytes()
}

func document(t testing.TB, data []byte) *gltf.Document {
	t.Helper()
	found, err := pipes.Decoders()["glb"].Decode(data, pipes.Limits{}.OrDefault())
	require.NoError(t, err)
	return found.Value.(*gltf.Document)
}

func indicesOf(t testing.TB, doc *gltf.Document, accessor int) []uint32 {
	t.Helper()
	out, err := modeler.ReadIndices(doc, doc.Accessors[accessor], nil)
	require.NoError(t, err)
	return slices.Clone(out)
}

// TestMesh finds the same triangles in another order, and that this one suits caches: a grid cannot
// do with less than half a vertex a triangle.
func TestMesh(t *testing.T) {
	before := grid(100)
	in := model(t, before)
	out, err := encode.Mesh().Encode(in, pipes.Limits{})
	require.NoError(t, err)
	doc := document(t, out)
	after := indicesOf(t, doc, *doc.Meshes[0].Primitives[0].Indices)
	require.NotEqual(t, before, after)
	require.Equal(t, sorted(before), sorted(after))
	positions, err := modeler.ReadPosition(doc, doc.Accessors[1], nil)
	require.NoError(t, err)
	was, err := modeler.ReadPosition(document(t, in), doc.Accessors[1], nil)
	require.NoError(t, err)
	require.Equal(t, was, positions)
	for _, size := range []int{12, 16, 32} {
		t.Logf("ACMR of a cache of %d: %.3f before, %.3f after", size, acmr(before, size),
			acmr(after, size))
	}
	require.Greater(t, acmr(before, 16), 2.5)
	require.Less(t, acmr(after, 16), 0.8)
	require.Less(t, acmr(after, 32), 0.7)
}

// TestMeshOfAnyTriangles takes what no mesh should have: one vertex thrice, the same triangle
// twice, a vertex in all triangles.
func TestMeshOfAnyTriangles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		n, most := 1+r.IntN(60), 1+r.IntN(70_000>>(round%17))
		var in []uint32
		for range 3 * n {
			in = append(in, uint32(r.IntN(most)))
		}
		out, err := encode.Mesh().Encode(model(t, in), pipes.Limits{})
		require.NoError(t, err)
		doc := document(t, out)
		require.Equal(t, sorted(in), sorted(indicesOf(t, doc, 0)))
	}
	var fan []uint32
	for i := range uint32(50_000) {
		fan = append(fan, 0, i+1, i+2)
	}
	out, err := encode.Mesh().Encode(model(t, fan), pipes.Limits{}) // linear, or it takes minutes
	require.NoError(t, err)
	require.Equal(t, sorted(fan), sorted(indicesOf(t, document(t, out), 0)))
}

// TestMeshLeaves indices alone that are no list of triangles, or that share bytes with others.
func TestMeshLeaves(t *testing.T) {
	before := grid(10)
	for name, change := range map[string]func(doc *gltf.Document){
		"strip": func(doc *gltf.Document) {
			doc.Meshes[0].Primitives[0].Mode = gltf.PrimitiveTriangleStrip
		},
		"strip and list": func(doc *gltf.Document) {
			p := *doc.Meshes[0].Primitives[0]
			p.Mode = gltf.PrimitiveLines
			doc.Meshes[0].Primitives = append(doc.Meshes[0].Primitives, &p)
		},
		"shared": func(doc *gltf.Document) {
			a := *doc.Accessors[0]
			a.Count = 4
			doc.Accessors = append(doc.Accessors, &a)
		},
		"no list": func(doc *gltf.Document) { doc.Accessors[0].Count-- },
	} {
		doc := document(t, model(t, before))
		change(doc)
		count := doc.Accessors[0].Count
		out, err := encode.Mesh().Encode(glb(t, doc), pipes.Limits{})
		require.NoError(t, err, name)
		require.Equal(t, before[:count], indicesOf(t, document(t, out), 0), name)
	}
}

// TestPack puts buffers into the model that were files beside it.
func TestPack(t *testing.T) {
	before := grid(10)
	doc := document(t, model(t, before))
	data := doc.Buffers[0].Data
	doc.Buffers[0].Data, doc.Buffers[0].URI = nil, "grid.bin"
	doc.Images = []*gltf.Image{{URI: "../tex/wood.png"}}
	var text bytes.Buffer
	e := gltf.NewEncoder(&text)
	e.AsBinary = false
	require.NoError(t, e.Encode(doc))
	_, err := encode.Mesh().Encode(text.Bytes(), pipes.Limits{})
	require.ErrorIs(t, err, encode.ErrFormat, "its buffer is elsewhere")

	packed, err := encode.Pack(text.Bytes(), func(path string) ([]byte, error) {
		require.Equal(t, "grid.bin", path)
		return append(slices.Clone(data), 9, 9), nil
	}, pipes.Limits{})
	require.NoError(t, err)
	out, err := encode.Mesh().Encode(packed, pipes.Limits{})
	require.NoError(t, err)
	after := document(t, out)
	require.Equal(t, sorted(before), sorted(indicesOf(t, after, 0)))
	require.Equal(t, "../tex/wood.png", after.Images[0].URI)

	again, err := encode.Pack(packed, nil, pipes.Limits{})
	require.NoError(t, err)
	require.Equal(t, packed, again)
	_, err = encode.Pack(text.Bytes(), func(string) ([]byte, error) { return data[:5], nil },
		pipes.Limits{})
	require.ErrorIs(t, err, encode.ErrFormat)
}

// TestSame has what came out when the version was given. Whoever changes it raises the version of
// that encoder: what is kept under the old one is not used then.
func TestSame(t *testing.T) {
	large, small := encode.Texture(encode.TextureOptions{}),
		encode.Texture(encode.TextureOptions{Small: true, Side: 16})
	for _, test := range []struct {
		e      *encode.Encoder
		source []byte
		want   string
	}{
		{large, pngOf(t, wood(60, 33, true)), "texture/1 blocks=bc7 quality=1 side=0 8907f219"},
		{small, pngOf(t, wood(60, 33, false)),
			"texture/1 blocks=bc1,bc3 quality=1 side=16 91829528"},
		{encode.Mesh(), model(t, grid(20)), "mesh/1 order=forsyth cache=32 803a43ae"},
		{encode.FLAC(), newTone(2, 16, 9000).wav(), "flac/1 block=4096 9fac17b1"},
	} {
		before := slices.Clone(test.source)
		out, err := test.e.Encode(test.source, pipes.Limits{})
		require.NoError(t, err)
		sum := assets.HashOf(out)
		require.Equal(t, test.want, test.e.String()+" "+hex.EncodeToString(sum[:4]))
		require.Equal(t, before, test.source, "the source is not changed")
	}
}

// TestRefused has what is no source.
func TestRefused(t *testing.T) {
	texture, mesh, sound := encode.Texture(encode.TextureOptions{}), encode.Mesh(), encode.FLAC()
	wav, small := newTone(1, 16, 100).wav(), pngOf(t, wood(9, 9, false))
	for name, test := range map[string]struct {
		e      *encode.Encoder
		source []byte
		l      pipes.Limits
		want   error
	}{
		"empty texture":    {texture, nil, pipes.Limits{}, encode.ErrFormat},
		"cut off picture":  {texture, small[:60], pipes.Limits{}, encode.ErrFormat},
		"large picture":    {texture, small, pipes.Limits{Pixels: 80}, pipes.ErrLimit},
		"empty sound":      {sound, nil, pipes.Limits{}, encode.ErrFormat},
		"cut off sound":    {sound, wav[:len(wav)-1], pipes.Limits{}, encode.ErrFormat},
		"sound of nothing": {sound, newTone(1, 16, 0).wav(), pipes.Limits{}, encode.ErrFormat},
		"long sound":       {sound, wav, pipes.Limits{Samples: 99}, pipes.ErrLimit},
		"sound of 32 bits": {sound, newTone(1, 32, 9).wav(), pipes.Limits{}, encode.ErrFormat},
		"empty model":      {mesh, nil, pipes.Limits{}, encode.ErrFormat},
		"model of nothing": {mesh, []byte(`{"asset":{"version":"2.0"},"accessors":[null]}`),
			pipes.Limits{}, encode.ErrFormat},
	} {
		_, err := test.e.Encode(test.source, test.l)
		require.ErrorIs(t, err, test.want, name)
	}
}

// FuzzEncode gives any bytes to all encoders and decoders: an error of the right kind, or a result.
func FuzzEncode(f *testing.F) {
	f.Add(pngOf(f, wood(5, 5, true)))
	f.Add(newTone(2, 16, 40).wav())
	f.Add(model(f, grid(3)))
	l := pipes.Limits{Bytes: 1 << 16, Pixels: 1 << 10, Samples: 1 << 12, Text: 1 << 14,
		Parts: 1 << 8}
	all := []*encode.Encoder{encode.Texture(encode.TextureOptions{}), encode.Mesh(), encode.FLAC()}
	for _, e := range all {
		for _, source := range [][]byte{pngOf(f, wood(5, 5, true)), newTone(2, 16, 40).wav(),
			model(f, grid(3))} {
			if out, err := e.Encode(source, l); err == nil {
				f.Add(out)
			}
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, e := range all {
			out, err := e.Encode(source, l)
			if err != nil {
				if !isKnown(err) {
					t.Fatal(err)
				}
				continue
			}
			again, err := e.Encode(source, l)
			require.NoError(t, err)
			require.Equal(t, out, again)
		}
		for _, d := range encode.Decoders() {
			if _, err := d.Measure(source, l); err == nil {
				decodeAny(d, source, l)
			}
		}
	})
}

func isKnown(err error) bool {
	return errors.Is(err, encode.ErrFormat) || errors.Is(err, pipes.ErrLimit)
}

// TestParse finds an encoder by what it says of itself, and no other.
func TestParse(t *testing.T) {
	for _, e := range []*encode.Encoder{encode.Texture(encode.TextureOptions{}), encode.Mesh(),
		encode.Texture(encode.TextureOptions{Small: true, Quality: 7, Side: 500}), encode.FLAC()} {
		found, err := encode.Parse(e.Name(), e.Version(), e.Params())
		require.NoError(t, err)
		require.Equal(t, e.String(), found.String())
		require.Equal(t, e.Format(), found.Format())
		for _, bad := range [][2]string{{e.Name(), ""}, {e.Name(), e.Params() + " "},
			{"", e.Params()}, {e.Name(), "blocks=bc7 quality=11 side=0"},
			{e.Name(), "blocks=bc7 quality=1 side=-1"}, {e.Name(), "blocks=bc7 quality=1 side=3"},
			{e.Name(), "blocks=bc9 quality=1 side=0"}, {e.Name(), "block=4096x"}} {
			_, err := encode.Parse(bad[0], e.Version(), bad[1])
			require.ErrorIs(t, err, encode.ErrUnknown, "%q", bad)
		}
		_, err = encode.Parse(e.Name(), e.Version()+1, e.Params())
		require.ErrorIs(t, err, encode.ErrUnknown)
	}
}

// decodeAny decodes as the pipe does, for which a panic of a library is damage.
func decodeAny(d pipes.Decoder, source []byte, l pipes.Limits) {
	defer func() { _ = recover() }()
	_, _ = d.Decode(source, l)
}
