package main

import (
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/frame"
)

func main() { frame.Program{Name: "frameloop", Setting: scene.Mixed}.Main() }
