package assets

import (
	"context"
	"fmt"
)

// Resolve returns the pipe "resolve", by which an item finds its GUID and its Info in the Registry.
// It fails with ErrUnknown. It is the first of any usual plan.
func Resolve() Pipe {
	return Pipe{Name: "resolve", Run: func(_ context.Context, it *Item) error {
		g, ok := it.Registry.GUID(it.ID)
		if !ok {
			return fmt.Errorf("%w: no ID %q", ErrUnknown, it.ID)
		}
		info, ok := it.Registry.Info(g)
		if !ok {
			return fmt.Errorf("%w: no GUID %v", ErrUnknown, g)
		}
		it.GUID, it.Info = g, info
		return nil
	}}
}

// Select returns the pipe "select", which chooses the Variant of the item's platform.
func Select() Pipe {
	return Pipe{Name: "select", Run: func(_ context.Context, it *Item) error {
		it.Variant = it.Info.On(it.Platform)
		return nil
	}}
}

// Dependencies returns the pipe "dependencies", at which an item waits for its Children. The pipes
// after it find them by Item.Child. In a plan without it children are not loaded.
func Dependencies() Pipe { return Pipe{Name: "dependencies", awaits: true} }
