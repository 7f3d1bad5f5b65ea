//go:build !linux || !(amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"image"
	"runtime"
)

// A gl is for Linux only; see README.md.
type gl struct{}

func newGL(int, int) (*gl, error) {
	return nil, fmt.Errorf("%w: this program needs Linux on amd64 or arm64, and runs on %s/%s",
		errors.ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

func (*gl) about() string { return "" }
func (*gl) clear(rgb)     {}
func (*gl) fan([]vertex)  {}
func (*gl) read() (*image.NRGBA, error) {
	return nil, errors.ErrUnsupported
}
func (*gl) close()                                              {}
func (*gl) elsewhere() (code int32, version string, known bool) { return 0, "", false }
