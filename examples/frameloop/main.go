package main

import (
	"os"

	"github.com/heddle-go/heddle/examples/internal/frame"
)

func main() {
	os.Exit(frame.Program{Name: "frameloop", Size: 2}.Main(os.Args[1:], os.Stdout, os.Stderr))
}
