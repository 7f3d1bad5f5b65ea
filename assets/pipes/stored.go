package pipes

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// Stored returns a Fetcher of the blobs of a cache. A name is a hash in hexadecimal digits.
func Stored(c *store.Cache) Fetcher { return stored{c} }

type stored struct{ c *store.Cache }

// Fetch implements Fetcher.
func (s stored) Fetch(_ context.Context, name string, most int64) ([]byte, error) {
	var h assets.Hash
	if len(name) != 2*len(h) {
		return nil, fmt.Errorf("%w: %.100q is no hash", ErrPath, name)
	}
	if _, err := hex.Decode(h[:], []byte(name)); err != nil {
		return nil, fmt.Errorf("%w: %.100q is no hash", ErrPath, name)
	}
	data, err := s.c.Get(h)
	switch {
	case errors.Is(err, store.ErrLimit):
		return nil, fmt.Errorf("%w: %w", ErrLimit, err)
	case errors.Is(err, store.ErrDamaged):
		return nil, fmt.Errorf("%w: %w", ErrHash, err)
	case err == nil && int64(len(data)) > most:
		return nil, over("bytes of "+name, int64(len(data)), most)
	}
	return data, err
}
