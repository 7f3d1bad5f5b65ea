package pipes

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/assets"
)

// Verify returns the pipe "verify", by which an item fails whose Data does not have the hash
// that the registry knows. Where it knows none there is nothing to compare.
func Verify() assets.Pipe {
	return assets.Pipe{Name: "verify", Run: func(_ context.Context, it *assets.Item) error {
		v := &it.Variant
		if it.Data == nil || v.Hash == (assets.Hash{}) {
			return nil
		}
		if h := assets.HashOf(it.Data); h != v.Hash {
			return fmt.Errorf("%w: %d bytes with the hash %v, not %d with %v", ErrHash,
				len(it.Data), h, v.Size, v.Hash)
		}
		return nil
	}}
}
