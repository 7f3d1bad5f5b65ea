package assets_test

import (
	"context"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/taskgraph"
)

// A page names what it needs in its first line.
func ExampleManager() {
	files := fstest.MapFS{"index.txt": {Data: []byte("style.txt logo.txt\nWelcome")},
		"style.txt": {Data: []byte("logo.txt\nbold")}, "logo.txt": {Data: []byte("\n(o)")}}
	read := assets.Pipe{Name: "read", Lane: assets.Disk,
		Run: func(_ context.Context, it *assets.Item) (err error) {
			it.Data, err = files.ReadFile(it.Variant.Path)
			return err
		}}
	parse := assets.Pipe{Name: "parse", Run: func(_ context.Context, it *assets.Item) error {
		names, text, _ := strings.Cut(string(it.Data), "\n")
		for _, n := range strings.Fields(names) {
			it.Children = append(it.Children, assets.ID(n))
		}
		it.Value = text
		return nil
	}}

	sys := taskgraph.Start(taskgraph.Options{})
	registry, _ := assets.NewMemory()
	for name := range files {
		registry.Put(assets.Info{ID: assets.ID(name), Path: name})
	}
	loader, _ := assets.NewPipeline(sys, assets.PipelineOptions{Plan: []assets.Pipe{
		assets.Resolve(), assets.Select(), read, parse, assets.Dependencies()}})
	m := assets.New(sys, assets.Options{Registry: registry, Loader: loader})

	ctx := context.Background()
	page, err := m.Load(ctx, "index.txt")
	fmt.Println(page.Value(), err, m.Query("logo.txt"), m.Stats().Ready)
	m.ReleaseTree(page)
	fmt.Println(m.Close(ctx), sys.Shutdown(ctx))
	// Output:
	// Welcome <nil> ready 3
	// <nil> <nil>
}
