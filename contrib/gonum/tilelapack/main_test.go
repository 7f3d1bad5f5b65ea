package tilelapack_test

// The tests run in their short form unless they are told not to.
import (
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)
