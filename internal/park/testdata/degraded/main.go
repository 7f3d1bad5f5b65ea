// Command degraded fails unless the parker does without the runtime's marks, and waits all the
// same. It is built with a runtime that lacks one, see .ci/degraded.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/heddle-go/heddle/internal/park"
)

func main() {
	want := os.Args[1] == "true"
	if got := park.HandsOff(); got != want {
		fmt.Fprintf(os.Stderr, "HandsOff() = %t, want %t\n", got, want)
		os.Exit(1)
	}
	there, back := park.New(park.OS), park.New(park.OS)
	const rounds = 1000
	go func() {
		for range rounds {
			there.Park()
			back.Unpark()
		}
	}()
	for range rounds {
		there.Unpark()
		back.Park()
	}
	if there.ParkTimeout(5 * time.Millisecond) {
		fmt.Fprintln(os.Stderr, "a permit that nobody gave")
		os.Exit(1)
	}
}
