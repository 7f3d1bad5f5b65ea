package main

import "github.com/heddle-go/heddle/examples/internal/frame"

func main() { frame.Program{Name: "frameloop", Size: 2}.Main() }
