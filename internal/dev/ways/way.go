package ways

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrBoom is what a way fails with that does not say otherwise.
var ErrBoom = errors.New("boom")

// errFirst is thrown and then replaced by something else.
var errFirst = errors.New("thrown first")

// A Way is one in which a function can leave.
type Way struct {
	// Name is for messages.
	Name string
	// Leave leaves in that way. Its caller is left as well, unless it recovers.
	Leave func() error
	// Ends says that it ends its goroutine, whatever its callers recover.
	Ends bool

	is func(err error) bool // the cause, nil for a Goexit
}

// Do is Leave for one who does not look at errors: it panics with them.
func (w *Way) Do() {
	if err := w.Leave(); err != nil {
		panic(err)
	}
}

// Check returns an error unless err says why the function failed, which is exit for one that calls
// runtime.Goexit and nothing else that could be seen.
func (w *Way) Check(err, exit error) error {
	switch {
	case w.is == nil && errors.Is(err, exit), w.is != nil && w.is(err):
		return nil
	}
	return fmt.Errorf("%s: failed with %w", w.Name, err)
}

func isBoom(err error) bool { return errors.Is(err, ErrBoom) }

// All are the ways.
var All = []Way{
	{Name: "return", Leave: func() error { return nil }, is: func(err error) bool {
		return err == nil
	}},
	{Name: "error", Leave: func() error { return ErrBoom }, is: isBoom},
	{Name: "panic", Leave: func() error { panic(ErrBoom) }, is: isBoom},
	{Name: "runtime error", Leave: func() error {
		var none []error
		return none[len(none)]
	}, is: func(err error) bool {
		var e runtime.Error
		return errors.As(err, &e)
	}},
	{Name: "nil panic", Leave: func() error { panic(nil) }, is: func(err error) bool {
		var e *runtime.PanicNilError
		return errors.As(err, &e)
	}},
	{Name: "panic in a panic", Leave: func() error {
		defer panic(ErrBoom)
		panic(errFirst)
	}, is: isBoom},
	{Name: "panic after one that was recovered", Leave: func() error {
		defer panic(ErrBoom)
		defer func() { _ = recover() }()
		panic(errFirst)
	}, is: isBoom},
	{Name: "exit", Ends: true, Leave: func() error {
		runtime.Goexit()
		return nil
	}},
	{Name: "exit when it has returned", Ends: true, Leave: func() error {
		defer runtime.Goexit()
		return nil
	}},
	{Name: "exit, then panic", Ends: true, Leave: func() error {
		defer panic(ErrBoom)
		runtime.Goexit()
		return nil
	}, is: isBoom},
	{Name: "exit, then a panic that is recovered", Ends: true, Leave: func() error {
		defer func() { _ = recover() }()
		defer panic(errFirst)
		runtime.Goexit()
		return nil
	}},
	{Name: "panic, then exit", Ends: true, Leave: func() error {
		defer runtime.Goexit()
		panic(errFirst)
	}},
	{Name: "panic, then exit, then panic", Ends: true, Leave: func() error {
		defer panic(ErrBoom)
		defer runtime.Goexit()
		panic(errFirst)
	}, is: isBoom},
	{Name: "exits in exits", Ends: true, Leave: func() error {
		defer func() {
			defer runtime.Goexit()
			runtime.Goexit()
		}()
		runtime.Goexit()
		return nil
	}},
}
