package osthread_test

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/heddle-go/heddle/internal/osthread"
)

func ExampleSetName() {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine, and its name with it
		done <- osthread.SetName("render")
	}()
	err := <-done
	fmt.Println(err == nil || errors.Is(err, errors.ErrUnsupported))
	// Output: true
}
