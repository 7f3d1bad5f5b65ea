package pipes

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// decodes has the pipe "decode" work on some bytes.
func decodes(format string, data []byte, l Limits) (*assets.Item, error) {
	it := &assets.Item{ID: "dir/x", Data: data, Variant: assets.Variant{Format: format}}
	return it, Decode(DecodeOptions{Limits: l}).Run(bg, it)
}

func pngOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// gradient paints a picture of any kind.
func gradient(set func(x, y int, c color.Color), w, h int) {
	for y := range h {
		for x := range w {
			set(x, y, color.NRGBA{uint8(40 * x), uint8(60 * y), 200, uint8(255 - 20*x)})
		}
	}
}

// Pictures of each kind become the same kind, with the colours that image/color converts to.
func TestPictures(t *testing.T) {
	r := image.Rect(0, 0, 7, 4)
	nrgba, rgba, gray := image.NewNRGBA(r), image.NewRGBA(r), image.NewGray(r)
	deep, deepGray := image.NewNRGBA64(r), image.NewGray16(r)
	pal := image.NewPaletted(r,
		color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 0, 0, 90}})
	for _, m := range []draw.Image{nrgba, gray, deep, deepGray, pal} {
		gradient(m.Set, 7, 4)
	}
	for i := range rgba.Pix {
		rgba.Pix[i] = byte(i) | 255*byte(i%4/3)
	}
	for i, m := range []image.Image{nrgba, rgba, gray, deep, deepGray, pal} {
		it, err := decodes("png", pngOf(t, m), Limits{})
		require.NoError(t, err)
		got := it.Value.(*image.NRGBA)
		require.Equal(t, r, got.Rect)
		require.EqualValues(t, 7*4*4, it.Size)
		require.Len(t, got.Pix, 7*4*4)
		for y := range 4 {
			for x := range 7 {
				want := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
				require.Equal(t, want, got.NRGBAAt(x, y), "picture %d at %d, %d", i, x, y)
			}
		}
	}
	for _, m := range []image.Image{rgba, gray} {
		var b bytes.Buffer
		require.NoError(t, jpeg.Encode(&b, m, nil))
		it, err := decodes("jpg", b.Bytes(), Limits{})
		require.NoError(t, err)
		require.Equal(t, r, it.Value.(*image.NRGBA).Rect)
	}
	it, err := decodes("webp", webpPixel(t), Limits{})
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 1, 1), it.Value.(*image.NRGBA).Rect)
}

// webpPixel returns a WebP of one pixel.
func webpPixel(t testing.TB) []byte {
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	return b
}

// A picture that says that it is huge is refused by its header.
func TestHugePictures(t *testing.T) {
	huge := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	for _, size := range [][2]uint32{{100000, 100000}, {1<<31 - 1, 1<<31 - 1}, {1 << 30, 1}} {
		binary.BigEndian.PutUint32(huge[16:], size[0])
		binary.BigEndian.PutUint32(huge[20:], size[1])
		binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
		_, err := decodes("png", huge, Limits{})
		require.True(t, errors.Is(err, ErrLimit) || errors.Is(err, ErrFormat), "%v: %v", size, err)
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)), nil))
	at := bytes.Index(b.Bytes(), []byte{0xff, 0xc0})
	copy(b.Bytes()[at+5:], []byte{255, 255, 255, 255})
	_, err := decodes("jpeg", b.Bytes(), Limits{})
	require.ErrorIs(t, err, ErrLimit)
	require.ErrorContains(t, err, "65535 x 65535 pixels, at most 67108864")
	_, err = decodes("webp", webpPixel(t), Limits{Pixels: 1})
	require.NoError(t, err)

	scans := append(bytes.Clone(b.Bytes()[:at]), b.Bytes()[at:]...)
	copy(scans[at+5:], []byte{0, 1, 0, 1})
	_, err = decodes("jpeg", append(scans, bytes.Repeat([]byte{0xff, 0xda}, 300)...), Limits{})
	require.ErrorIs(t, err, ErrLimit)
	require.ErrorContains(t, err, "scans")
}

func TestFont(t *testing.T) {
	it, err := decodes("ttf", goregular.TTF, Limits{})
	require.NoError(t, err)
	require.Greater(t, it.Value.(*sfnt.Font).NumGlyphs(), 100)
	_, err = decodes("ttf", goregular.TTF[:1000], Limits{})
	require.ErrorIs(t, err, ErrFormat)
}

func TestManifests(t *testing.T) {
	for format, text := range map[string]string{
		"json": `{"name": "house", "depends": ["wall.png", "../models/roof.glb"]}`,
		"toml": "name = \"house\"\ndepends = [\"wall.png\", \"../models/roof.glb\"]\n",
		"yaml": "name: house\ndepends:\n- wall.png\n- ../models/roof.glb\n",
	} {
		it, err := decodes(format, []byte(text), Limits{})
		require.NoError(t, err, format)
		require.Equal(t, "house", it.Value.(Manifest)["name"])
		require.Equal(t, []assets.ID{"dir/wall.png", "models/roof.glb"}, it.Children)
		for _, bad := range []string{strings.ReplaceAll(text, "../models", "../../models"),
			strings.ReplaceAll(text, "wall.png", "/etc/passwd"),
			strings.ReplaceAll(text, "wall.png", "file:///etc/passwd")} {
			_, err = decodes(format, []byte(bad), Limits{})
			require.ErrorIs(t, err, ErrPath, bad)
		}
		_, err = decodes(format, []byte(text), Limits{Text: 20})
		require.ErrorIs(t, err, ErrLimit)
	}
	for _, bad := range []string{`{"depends": "x"}`, `{"depends": [1]}`, `[]`, `{`, `"x"`} {
		_, err := decodes("json", []byte(bad), Limits{})
		require.ErrorIs(t, err, ErrFormat, bad)
	}
	deep := strings.Repeat("[", 100000)
	for format, text := range map[string]string{"json": `{"a":` + deep, "toml": "a = " + deep,
		"yaml": "a: " + deep} {
		_, err := decodes(format, []byte(text), Limits{})
		require.ErrorIs(t, err, ErrLimit, format)
	}
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		eight := strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8)
		bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, eight, c-1)
	}
	_, err := decodes("yaml", []byte(bomb), Limits{})
	require.ErrorIs(t, err, ErrLimit, "a billion laughs")
	_, err = decodes("yaml", []byte("a: "+strings.Repeat("- ", 100000)+"x"), Limits{})
	require.Error(t, err)
}

// box returns a model with a buffer beside it, and a picture.
func box() *gltf.Document {
	doc := gltf.NewDocument()
	doc.Buffers = []*gltf.Buffer{{URI: "box.bin", ByteLength: 36, Data: make([]byte, 36)}}
	doc.BufferViews = []*gltf.BufferView{{Buffer: 0, ByteLength: 36}}
	doc.Accessors = []*gltf.Accessor{{BufferView: gltf.Index(0), Count: 3, Type: gltf.AccessorVec3,
		ComponentType: gltf.ComponentFloat}}
	doc.Meshes = []*gltf.Mesh{{Primitives: []*gltf.Primitive{
		{Attributes: gltf.PrimitiveAttributes{"POSITION": 0}}}}}
	doc.Nodes = []*gltf.Node{{Mesh: gltf.Index(0)}}
	doc.Scenes[0].Nodes = []int{0}
	doc.Images = []*gltf.Image{{URI: "../tex/wood%20a.png"}}
	return doc
}

// encoded returns a model as text, or binary.
func encoded(t testing.TB, doc *gltf.Document, binary bool) []byte {
	var b bytes.Buffer
	e := gltf.NewEncoder(&b)
	e.AsBinary = binary
	require.NoError(t, e.Encode(doc))
	return b.Bytes()
}

func TestModels(t *testing.T) {
	it, err := decodes("gltf", encoded(t, box(), false), Limits{})
	require.NoError(t, err)
	require.Equal(t, []assets.ID{"dir/box.bin", "tex/wood a.png"}, it.Children)
	require.Error(t, Link().Run(bg, it), "there are no children yet")

	doc := box()
	doc.Buffers[0].URI, doc.Images[0].URI = "", "data:image/png;base64,AAAA"
	it, err = decodes("glb", encoded(t, doc, true), Limits{})
	require.NoError(t, err)
	require.Empty(t, it.Children)
	require.Len(t, it.Value.(*gltf.Document).Buffers[0].Data, 36)
	require.NoError(t, Link().Run(bg, it))

	_, err = decodes("gltf", encoded(t, box(), false), Limits{Parts: 3})
	require.ErrorIs(t, err, ErrLimit)
	_, err = decodes("gltf", encoded(t, box(), false), Limits{Text: 30})
	require.ErrorIs(t, err, ErrLimit)
	whole := encoded(t, doc, true)
	for _, cut := range []int{4, 19, 40, len(whole) - 10} {
		_, err = decodes("glb", whole[:cut], Limits{})
		require.ErrorIs(t, err, ErrFormat, cut)
	}
}

func TestModelsThatReferToWhatIsNotThere(t *testing.T) {
	for name, spoil := range map[string]func(d *gltf.Document){
		"view past the buffer": func(d *gltf.Document) { d.BufferViews[0].ByteLength = 37 },
		"view with an overflow": func(d *gltf.Document) {
			d.BufferViews[0].ByteOffset = math.MaxInt
		},
		"no buffer":              func(d *gltf.Document) { d.BufferViews[0].Buffer = 1 },
		"accessor past the view": func(d *gltf.Document) { d.Accessors[0].Count = 4 },
		"huge accessor":          func(d *gltf.Document) { d.Accessors[0].Count = math.MaxInt },
		"no view": func(d *gltf.Document) {
			d.Accessors[0].BufferView = gltf.Index(5)
		},
		"node in a circle": func(d *gltf.Document) { d.Nodes[0].Children = []int{0} },
		"no node":          func(d *gltf.Document) { d.Scenes[0].Nodes = []int{1} },
		"no mesh":          func(d *gltf.Document) { d.Nodes[0].Mesh = gltf.Index(9) },
		"no accessor": func(d *gltf.Document) {
			d.Meshes[0].Primitives[0].Attributes["POSITION"] = 3
		},
		"two parents": func(d *gltf.Document) {
			d.Nodes = append(d.Nodes, &gltf.Node{}, &gltf.Node{})
			d.Nodes[0].Children, d.Nodes[1].Children = []int{2}, []int{2}
		},
	} {
		doc := box()
		spoil(doc)
		_, err := decodes("gltf", encoded(t, doc, false), Limits{})
		require.ErrorIs(t, err, ErrFormat, name)
	}
	for _, length := range []string{"4294967297", "-1", "9223372036854775807"} {
		glb := glbOf(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":` + length + `}]}`)
		_, err := decodes("glb", glb, Limits{})
		require.ErrorIs(t, err, ErrFormat, length)
	}
	doc := box()
	doc.Images[0].URI = "../../../etc/passwd"
	_, err := decodes("gltf", encoded(t, doc, false), Limits{})
	require.ErrorIs(t, err, ErrPath)
}

// glbOf returns a binary model that says that it has four gigabytes of buffer.
func glbOf(text string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(append([]byte("glTF"), 2, 0, 0, 0), 1<<32-1)
	b = append(le.AppendUint32(b, uint32(len(text))), "JSON"...)
	b = le.AppendUint32(append(b, text...), 1<<32-1)
	return append(b, "BIN\x00abcd"...)
}

func tone(t testing.TB) []byte {
	b, err := os.ReadFile("testdata/tone.ogg")
	require.NoError(t, err)
	return b
}

func TestSounds(t *testing.T) {
	it, err := decodes("ogg", tone(t), Limits{})
	require.NoError(t, err)
	s := it.Value.(*Sound)
	require.Equal(t, 22050, s.Rate)
	require.Equal(t, 2, s.Channels)
	require.Len(t, s.Samples, 8000)
	loudest := float32(0)
	for _, v := range s.Samples {
		loudest = max(loudest, v)
	}
	require.InDelta(t, 8000./32768, loudest, 0.05)
	_, err = decodes("ogg", tone(t), Limits{Samples: 7000})
	require.ErrorIs(t, err, ErrLimit)
	for cut := 0; cut < len(tone(t))-1; cut += 97 {
		_, err = decodes("ogg", tone(t)[:cut], Limits{})
		require.ErrorIs(t, err, ErrFormat, cut)
	}
}

// Headers by which the decoder would take gigabytes, or never come to an end.
func TestVorbisHeadersThatCannotBe(t *testing.T) {
	packets, _, err := oggPackets(tone(t), 3)
	require.NoError(t, err)
	whole := packets[2][7:]
	require.NoError(t, checkBooks(whole))
	b := bitWriter{}
	b.write(0, 8)
	b.write(0x564342, 24)
	header := func(width, entries uint32) bitWriter {
		c := bitWriter{bytes.Clone(b.data), b.at}
		c.write(width, 16)
		c.write(entries, 24)
		return c
	}
	ordered := func(c bitWriter, length, n uint32, bits int) []byte {
		c.write(1, 1)
		c.write(length-1, 5)
		c.write(n, bits)
		c.write(0, 4)
		return append(c.data, 0)
	}
	require.NoError(t, checkBooks(ordered(header(1, 2), 1, 2, 2)))
	for name, bad := range map[string][]byte{
		"no entries":    ordered(header(1, 0), 1, 0, 1),
		"no dimensions": ordered(header(0, 2), 1, 2, 2),
		"many entries":  ordered(header(1, 1<<24-1), 24, 1<<24-1, 24),
		"many values":   ordered(header(1<<16-1, 1<<16), 16, 1<<16, 17),
		"a hole":        ordered(header(1, 2), 2, 2, 2),
		"too full":      ordered(header(1, 4), 1, 4, 3),
		"cut off":       whole[:len(whole)/8],
		"empty":         nil,
	} {
		require.Error(t, checkBooks(bad), name)
	}
	require.Error(t, checkComment([]byte{0, 0, 0, 0, 255, 255, 255, 255}), "four billion comments")
	require.Error(t, checkComment([]byte{9, 0, 0, 0}))
	require.NoError(t, checkComment(make([]byte, 8)))
}

// A bitWriter is what bitReader reads.
type bitWriter struct {
	data []byte
	at   int
}

func (w *bitWriter) write(v uint32, n int) {
	for i := range n {
		if w.at%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.at/8] |= byte(v>>i&1) << (w.at % 8)
		w.at++
	}
}

func TestUnpack(t *testing.T) {
	l := Limits{Bytes: 1 << 20}
	unpacks := func(data []byte) (*assets.Item, error) {
		it := &assets.Item{Data: data, Variant: assets.Variant{Format: "bin.zst"}}
		return it, Unpack(l).Run(bg, it)
	}
	it, err := unpacks(zstdOf(t, []byte("text")))
	require.NoError(t, err)
	require.Equal(t, "text", string(it.Data))
	require.Equal(t, "bin", it.Variant.Format)
	_, err = unpacks(zstdOf(t, make([]byte, 1<<20+1)))
	require.ErrorIs(t, err, ErrLimit)
	// Frames of which each is small.
	_, err = unpacks(bytes.Repeat(zstdOf(t, make([]byte, 1<<19)), 3))
	require.ErrorIs(t, err, ErrLimit)
	for _, bad := range [][]byte{{}, []byte("text"), zstdOf(t, []byte("text"))[:8]} {
		_, err = unpacks(bad)
		require.ErrorIs(t, err, ErrFormat, "%x", bad)
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	it = &assets.Item{Data: zstdOf(t, []byte("text")), Variant: assets.Variant{Format: "bin.zst"}}
	require.ErrorIs(t, Unpack(l).Run(ended, it), context.Canceled)
}

// What was decoded once is not decoded again, and not fetched.
func TestBuilt(t *testing.T) {
	c, err := store.OpenCache(t.TempDir(), store.CacheOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	m := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	gradient(m.Set, 3, 2)
	for format, data := range map[string][]byte{"png": pngOf(t, m), "ogg": tone(t)} {
		b := NewBuilt(c, DecodeOptions{})
		item := func() *assets.Item {
			return &assets.Item{ID: "x", Variant: assets.Variant{Format: format + ".zst",
				Hash: assets.HashOf(data)}}
		}
		it := item()
		require.NoError(t, b.Recall().Run(bg, it))
		require.Nil(t, it.Value)
		it.Data, it.Variant.Format = data, format
		require.NoError(t, Decode(DecodeOptions{}).Run(bg, it))
		require.NoError(t, b.Remember().Run(bg, it))

		again := item()
		require.NoError(t, b.Recall().Run(bg, again))
		require.Equal(t, it.Value, again.Value)
		require.Equal(t, it.Size, again.Size)
		require.NoError(t, Fetch(FetchOptions{By: map[string]Fetcher{"": nil}}).Run(bg, again))
		require.NoError(t, Unpack(Limits{}).Run(bg, again))
		require.NoError(t, Decode(DecodeOptions{}).Run(bg, again))

		other := Decoders()
		newer := other[format]
		newer.Version++
		other[format] = newer
		again = item()
		require.NoError(t, NewBuilt(c, DecodeOptions{By: other}).Recall().Run(bg, again))
		require.Nil(t, again.Value, "another version decodes anew")
	}
}

func TestStored(t *testing.T) {
	c, err := store.OpenCache(t.TempDir(), store.CacheOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	h, err := c.Put([]byte("text"))
	require.NoError(t, err)
	data, err := Stored(c).Fetch(bg, h.String(), 4)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
	_, err = Stored(c).Fetch(bg, h.String(), 3)
	require.ErrorIs(t, err, ErrLimit)
	_, err = Stored(c).Fetch(bg, assets.HashOf(nil).String(), 3)
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, bad := range []string{"", "../x", h.String()[1:], strings.Repeat("x", 64)} {
		_, err = Stored(c).Fetch(bg, bad, 3)
		require.ErrorIs(t, err, ErrPath)
	}
}

func TestNegativeLimit(t *testing.T) {
	require.Panics(t, func() { Unpack(Limits{Pixels: -1}) })
}

// fuzzLimits are small, so that what is found is not that something is large.
var fuzzLimits = Limits{Bytes: 1 << 20, Pixels: 1 << 16, Samples: 1 << 18, Text: 1 << 16,
	Parts: 1 << 12}

// refuses requires of an error that it says which of the reasons it is.
func refuses(t *testing.T, err error) {
	require.True(t, err == nil || errors.Is(err, ErrFormat) || errors.Is(err, ErrLimit) ||
		errors.Is(err, ErrPath), "%v", err)
}

func fuzzFormats(f *testing.F, formats ...string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			it, err := decodes(format, bytes.Clone(data), fuzzLimits)
			refuses(t, err)
			if err == nil {
				require.NotNil(t, it.Value)
			}
			for _, id := range it.Children {
				require.NoError(t, checkPath(string(id)))
			}
		}
	})
}

func FuzzPicture(f *testing.F) {
	m := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	gradient(m.Set, 5, 3)
	var b bytes.Buffer
	require.NoError(f, jpeg.Encode(&b, m, nil))
	f.Add(pngOf(f, m))
	f.Add(b.Bytes())
	f.Add(webpPixel(f))
	fuzzFormats(f, "png", "jpeg", "webp")
}

func FuzzModel(f *testing.F) {
	f.Add(encoded(f, box(), false))
	doc := box()
	doc.Buffers[0].URI = ""
	f.Add(encoded(f, doc, true))
	f.Add(glbOf(`{"buffers":[{"byteLength":4294967297}]}`))
	fuzzFormats(f, "glb")
}

func FuzzFont(f *testing.F) {
	f.Add(goregular.TTF)
	fuzzFormats(f, "ttf")
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"a": [1, {"b": null}], "depends": ["x"]}`))
	f.Add([]byte("a = 1\n[b]\nc = [[1], 2020-01-01]\n"))
	f.Add([]byte("a: &x\n- 1\n- *x\nb: {c: d}\n"))
	f.Add([]byte(""))
	f.Add([]byte("null"))
	fuzzFormats(f, "json", "toml", "yaml")
}

// FuzzSound makes the check sum of each page right, or nothing that is changed would get past it.
func FuzzSound(f *testing.F) {
	f.Add(tone(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data)
		sealOgg(data)
		_, err := decodes("ogg", data, fuzzLimits)
		refuses(t, err)
	})
}

// sealOgg puts the check sum of Ogg into each page.
func sealOgg(data []byte) {
	for len(data) >= 27 && string(data[:4]) == "OggS" {
		end := 27 + int(data[26])
		if end > len(data) {
			return
		}
		for _, n := range data[27:end] {
			end += int(n)
		}
		if end > len(data) {
			return
		}
		clear(data[22:26])
		sum := uint32(0)
		for _, b := range data[:end] {
			sum ^= uint32(b) << 24
			for range 8 {
				sum = sum<<1 ^ 0x04c11db7*(sum>>31)
			}
		}
		binary.LittleEndian.PutUint32(data[22:], sum)
		data = data[end:]
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(zstdOf(f, []byte("text")))
	f.Fuzz(func(t *testing.T, data []byte) {
		it := &assets.Item{Data: data, Variant: assets.Variant{Format: "bin.zst"}}
		err := Unpack(fuzzLimits).Run(bg, it)
		refuses(t, err)
		if err == nil {
			require.LessOrEqual(t, int64(len(it.Data)), fuzzLimits.Bytes)
		}
	})
}

func FuzzBuilt(f *testing.F) {
	f.Add(appendBuilt(image.NewNRGBA(image.Rect(0, 0, 3, 2))))
	f.Add(appendBuilt(&Sound{Rate: 1, Channels: 2, Samples: []float32{1, 2}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := readBuilt(data, fuzzLimits)
		refuses(t, err)
		if m, ok := d.Value.(*image.NRGBA); ok {
			require.Len(t, m.Pix, 4*m.Rect.Dx()*m.Rect.Dy())
		}
		if err == nil {
			require.Positive(t, len(appendBuilt(d.Value)))
		}
	})
}
