package display

import "syscall"

// It imports syscall alone, so that it is initialized before the engine. TestScreens fails if it is
// not.
func init() {
	if name, _ := syscall.Getenv("DISPLAY"); name == "" {
		// If this cannot be written, the exit status still says that it failed.
		_, _ = syscall.Write(2,
			[]byte("boids: no display: set DISPLAY, or run it under xvfb-run -a\n"))
		syscall.Exit(1)
	}
}
