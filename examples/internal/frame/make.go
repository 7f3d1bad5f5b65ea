package frame

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// madeOfEach is how many models -make writes of each kind.
const madeOfEach = 6

// wares are the kinds.
var wares = [...]struct {
	name string
	make func(r *vec.Rand) *mesh.Mesh
}{{"jar", jar}, {"column", stump}, {"cairn", cairn}, {"lantern", lantern}}

// makeModels writes models to files of a folder, and the list of them, and says what it has
// written.
func makeModels(ctx context.Context, dir string, seed uint64, w io.Writer) error {
	if err := os.MkdirAll(filepath.Join(dir, "models"), 0o777); err != nil {
		return fmt.Errorf("-make: %w", err)
	}
	list := []string{"# What -dir reads, a file a line."}
	bytes := 0
	for k, ware := range wares {
		for i := range madeOfEach {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := vec.RandAt(seed, uint64(10+k), uint64(i))
			text := ware.make(&r).Encode()
			name := fmt.Sprintf("models/%s-%d%s", ware.name, i, mesh.Extension)
			if err := writeModel(dir, name, text); err != nil {
				return err
			}
			list = append(list, name)
			bytes += len(text)
		}
	}
	if err := writeModel(dir, listName, []byte(strings.Join(list, "\n")+"\n")); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d models of %d KiB, and %s\n", len(list)-1, bytes>>10,
		filepath.Join(dir, listName))
	return nil
}

func writeModel(dir, name string, text []byte) error {
	return cli.WriteFile("make", filepath.Join(dir, filepath.FromSlash(name)),
		func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
}

// fineSides is how many sides something round has.
const fineSides = 40

// glaze returns a colour.
func glaze(r *vec.Rand) vec.Vec3 {
	hues := [...]vec.Vec3{
		{X: 0.6, Y: 0.22, Z: 0.1}, {X: 0.1, Y: 0.3, Z: 0.5}, {X: 0.12, Y: 0.38, Z: 0.3},
		{X: 0.7, Y: 0.6, Z: 0.42},
	}
	return hues[r.Intn(len(hues))].Scale(r.Range(0.7, 1.2))
}

// tinted returns a mesh in one colour.
func tinted(m *mesh.Mesh, c vec.Vec3) *mesh.Mesh {
	t := &mesh.Mesh{}
	t.Add(m, vec.Ident, c)
	return t
}

// jar turns a belly, a neck and a lip.
func jar(r *vec.Rand) *mesh.Mesh {
	belly, neck, high := r.Range(0.22, 0.34), r.Range(0.08, 0.14), r.Range(0.5, 0.9)
	const rings = 18
	profile := []vec.Vec2{{}, {X: belly * 0.5}, {X: belly * 0.5}}
	for i := 1; i <= rings; i++ {
		u := float32(i) / rings
		radius := vec.Lerp(belly*0.5, neck, u) + (belly-neck)*0.9*vec.Sin(vec.Pi*vec.Sqrt(u))
		profile = append(profile, vec.Vec2{X: max(radius, neck), Y: high * u})
	}
	lip := vec.Vec2{X: neck * 1.4, Y: high + 0.04}
	profile = append(profile, lip, lip, vec.Vec2{X: neck * 0.7, Y: high + 0.04},
		vec.Vec2{Y: high * 0.9})
	return tinted(mesh.Lathe(profile, fineSides), glaze(r))
}

// stump is what is left of a column.
func stump(r *vec.Rand) *mesh.Mesh {
	m := mesh.Column(r.Range(0.12, 0.2), r.Range(0.6, 1.2), fineSides)
	return tinted(m, vec.V3(0.62, 0.57, 0.49).Scale(r.Range(0.8, 1.1)))
}

// cairn is round stones on each other.
func cairn(r *vec.Rand) *mesh.Mesh {
	m := &mesh.Mesh{}
	y, radius := float32(0), r.Range(0.2, 0.3)
	for radius > 0.06 {
		stone := mesh.Sphere(radius, fineSides/2)
		gray := r.Range(0.25, 0.5)
		at := vec.V3(r.Range(-0.03, 0.03), y+radius*0.9, r.Range(-0.03, 0.03))
		m.Add(stone, vec.Translation(at), vec.V3(gray, gray*0.95, gray*0.9))
		y, radius = y+radius*1.7, radius*r.Range(0.62, 0.8)
	}
	return m
}

// lantern is a lamp with a roof on a post.
func lantern(r *vec.Rand) *mesh.Mesh {
	m := &mesh.Mesh{}
	high, wide := r.Range(0.5, 0.9), r.Range(0.12, 0.18)
	iron, stone := vec.V3(0.1, 0.1, 0.11), vec.V3(0.5, 0.47, 0.42)
	m.Add(mesh.Column(wide*0.6, high, fineSides), vec.Ident, stone)
	m.Add(mesh.Sphere(wide*0.8, fineSides/2), vec.Translation(vec.V3(0, high+wide, 0)),
		vec.V3(1.6, 1.2, 0.5))
	for k := range 4 {
		x, z := wide*float32(1-k&1*2), wide*float32(1-k&2)
		m.Add(mesh.Box(vec.V3(0.015, wide, 0.015)), vec.Translation(vec.V3(x, high+wide, z)), iron)
	}
	eave := vec.Vec2{X: wide * 2}
	roof := []vec.Vec2{{}, eave, eave, {X: wide * 0.8, Y: wide * 0.7}, {Y: wide * 1.6}}
	m.Add(mesh.Lathe(roof, fineSides), vec.Translation(vec.V3(0, high+2*wide, 0)), iron)
	return m
}
