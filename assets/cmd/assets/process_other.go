//go:build !linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// evict is not possible here.
func evict(fs.File) error {
	return fmt.Errorf("-cold: to take files out of memory: %w", errors.ErrUnsupported)
}

func processorTime() (time.Duration, error) { return 0, nil }

func peak() int64 { return 0 }
