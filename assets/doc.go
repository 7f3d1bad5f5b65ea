// Package assets loads resources that depend on each other, for games and tools.
//
//	package main
//
//	import "context"
//	import "fmt"
//	import "os"
//	import "github.com/heddle-go/heddle/assets"
//	import "github.com/heddle-go/heddle/taskgraph"
//
//	func main() {
//		ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
//		get := assets.Pipe{Name: "io", Run: func(_ context.Context, it *assets.Item) (err error) {
//			it.Value, err = os.ReadFile(string(it.ID))
//			return err
//		}}
//		loader, _ := assets.NewPipeline(sys, assets.PipelineOptions{Plan: []assets.Pipe{get}})
//		registry, _ := assets.NewMemory()
//		m := assets.New(sys, assets.Options{Registry: registry, Loader: loader})
//		h, err := m.Load(ctx, "go.mod")
//		fmt.Printf("%.6s %v %v %v\n", h.Value(), err, m.Close(ctx), sys.Shutdown(ctx))
//	}
//
// It prints:
//
//	module <nil> <nil> <nil>
//
// The program loads the file go.mod of its folder and prints the first six bytes. It ignores two
// errors that cannot occur here: NewPipeline fails if the pipes of a plan clash, and NewMemory
// fails if a resource has no ID.
//
// You ask a [Manager] for resources by name. Behind it are three parts, and you can replace each
// of them. A [Registry] knows which resources exist. A [Loader] turns a name into a value. A
// [Keeper] decides how long a resource stays loaded when nothing holds it any more. The standard
// Loader is a [Pipeline] of pipes on a task graph. Each [Pipe] does one job on one [Item], the
// resource that is being loaded. The subpackage pipes has pipes that fetch and decode.
//
// A resource is loaded once, however many callers ask for it. It is ready when all resources that
// it depends on, directly or not, are ready. A [TypeRule] can make it ready although some of them
// have failed. Resources that depend on each other in a cycle become ready together.
//
// README.md has a picture, the policies and an example. The files cycles.md and holds.md have the
// rules for cycles and for holds, with proofs.
package assets
