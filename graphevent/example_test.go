package graphevent_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
)

// A manual event completes when it is triggered. It is a value that stays valid for ever.
func Example() {
	store := graphevent.NewStore(graphevent.Options{})
	loaded := store.NewEvent()

	store.Notify(nil, func() { fmt.Println("the level is loaded") }, loaded)
	fmt.Println(loaded.IsComplete(), loaded.State())
	fmt.Println(loaded.Trigger(), loaded.Trigger()) // only the first counts
	fmt.Println(loaded.IsComplete(), loaded.State())

	// Output:
	// false untriggered
	// the level is loaded
	// true false
	// true completed
}

// What an event is held open for is not known beforehand: more can be added until the event
// is complete.
func ExampleEvent_DontCompleteUntil() {
	store := graphevent.NewStore(graphevent.Options{})
	level, meshes, sounds := store.NewEvent(), store.NewEvent(), store.NewEvent()

	level.DontCompleteUntil(meshes)
	level.Trigger() // its own part is done
	level.DontCompleteUntil(sounds)

	meshes.Trigger()
	fmt.Println("meshes:", level.State())
	sounds.Trigger()
	fmt.Println("sounds:", level.State())
	fmt.Println("too late:", level.DontCompleteUntil(store.NewEvent()))

	// Output:
	// meshes: executing
	// sounds: completed
	// too late: false
}

// A failure reaches whatever depends on it.
func ExampleEvent_Fail() {
	store := graphevent.NewStore(graphevent.Options{})
	file, level := store.NewEvent(), store.NewEvent()
	errMissing := errors.New("no such file")

	level.DontCompleteUntil(file)
	level.Trigger()
	file.Fail(errMissing)
	fmt.Println(level.Wait(context.Background()))
	fmt.Println(errors.Is(level.Err(), errMissing))

	// Output:
	// no such file
	// true
}

// printer is a Releaser that prints its tokens.
type printer struct{}

func (printer) Release(token uint32, err error) { fmt.Println("token", token, err) }

// Subsequents are numbers. They are handed back in the order of registration.
func ExampleEvent_AddSubsequent() {
	store := graphevent.NewStore(graphevent.Options{Releaser: printer{}})
	e := store.NewEvent()
	for token := range uint32(3) {
		e.AddSubsequent(token)
	}
	e.Trigger()
	fmt.Println(e.AddSubsequent(3))

	// Output:
	// token 0 <nil>
	// token 1 <nil>
	// token 2 <nil>
	// false
}

// What several events have in common is an event as well.
func ExampleStore_Any() {
	store := graphevent.NewStore(graphevent.Options{})
	cache, disk, network := store.NewEvent(), store.NewEvent(), store.NewEvent()

	local := store.All(cache, disk)
	found := store.Any(local, network)
	found.OnComplete(func(err error) { fmt.Println("found:", err) })
	local.OnComplete(func(err error) { fmt.Println("local:", err) })

	disk.Trigger()
	network.Trigger()
	cache.Fail(errors.New("disk full"))
	fmt.Println(found.OnComplete(func(error) { fmt.Println("never called") }))

	// Output:
	// found: <nil>
	// local: disk full
	// false
}
