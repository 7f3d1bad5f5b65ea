// Package graphevent provides one-shot completion events. Code can wait for an event, start when it
// completes, or delay its completion. It is for authors of schedulers, and for programs whose many
// events must not make garbage.
//
//	package main
//
//	import "context"
//	import "errors"
//	import "fmt"
//	import "github.com/heddle-go/heddle/graphevent"
//
//	func main() {
//		store := graphevent.NewStore(graphevent.Options{})
//		meshes, sounds := store.NewEvent(), store.NewEvent()
//		level := store.All(meshes, sounds)
//		meshes.Trigger() // loaded
//		fmt.Println("level complete:", level.IsComplete())
//		go sounds.Fail(errors.New("drum.ogg: not found"))
//		if err := level.Wait(context.Background()); err != nil {
//			fmt.Println("level failed:", err)
//		}
//	}
//
// It prints:
//
//	level complete: false
//	level failed: drum.ogg: not found
//
// A [Store] holds the events, in memory that the garbage collector does not scan. An event that
// succeeds makes no garbage. An [Event] is a value: you can copy it and compare it, it needs no
// freeing, and it stays valid for ever. The zero Event is complete.
//
// There are two kinds of events. [Store.NewEvent] makes a manual event. It completes when it has
// been triggered and every event given to its [Event.DontCompleteUntil] has completed. A scheduler,
// such as package taskgraph, makes a [Node] for each task. The event of a node completes when the
// task does. [Store.All] and [Store.Any] combine events of both kinds.
//
// The goroutine that completes an event releases everything that was registered on it, in the order
// of registration, without recursion and without help from another goroutine. An event succeeds or
// fails. A failure reaches everything that depends on the event.
package graphevent
