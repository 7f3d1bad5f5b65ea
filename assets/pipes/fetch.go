package pipes

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/heddle-go/heddle/assets"
)

// A Fetcher brings bytes from where they are. Its methods may be called by any goroutine.
type Fetcher interface {
	// Fetch returns all bytes of name, which the caller may change, and never nil without an error.
	// It fails with ErrLimit if there are more than most, and with fs.ErrNotExist if there is no
	// such thing. A failure that may pass is an assets.RetryError.
	Fetch(ctx context.Context, name string, most int64) ([]byte, error)
}

// FetchOptions configure the pipe of Fetch.
type FetchOptions struct {
	Name   string             // of the pipe; default "fetch"
	Lane   assets.Lane        // what the fetchers wait for; default assets.Disk
	By     map[string]Fetcher // by scheme; "" is for paths without one
	Limits Limits             // Bytes
}

// Fetch returns a pipe that fills Item.Data from Item.Variant.Path. The scheme of a path is what
// stands before a first colon, if no slash comes earlier. A Fetcher gets what follows the colon,
// and of a URL, where two slashes follow, all of it. An item whose scheme is not in By is left to
// another pipe: there is one for each lane. An item that has a Value is left as it is.
func Fetch(o FetchOptions) assets.Pipe {
	most := o.Limits.OrDefault().Bytes
	if o.Name == "" {
		o.Name = "fetch"
	}
	if o.Lane == "" {
		o.Lane = assets.Disk
	}
	find := func(it *assets.Item) (Fetcher, string) {
		scheme, rest := splitScheme(it.Variant.Path)
		if it.Value != nil {
			return nil, ""
		}
		return o.By[scheme], rest
	}
	return assets.Pipe{
		Name: o.Name, Lane: o.Lane,
		Bytes: func(it *assets.Item) int64 { return min(max(it.Variant.Size, 0), most) },
		Run: func(ctx context.Context, it *assets.Item) error {
			f, name := find(it)
			if f == nil {
				return nil
			}
			data, err := f.Fetch(ctx, name, most)
			if err != nil {
				return err
			}
			if err := it.Reserve(int64(len(data))); err != nil {
				return err
			}
			it.Data = data
			return nil
		},
	}
}

// splitScheme returns the scheme of a path, and what a Fetcher gets of it.
func splitScheme(path string) (scheme, rest string) {
	i := strings.IndexAny(path, ":/")
	if i < 0 || path[i] == '/' {
		return "", path
	}
	if strings.HasPrefix(path[i:], "://") {
		return path[:i], path
	}
	return path[:i], path[i+1:]
}

// chunk is how much is read at a time, and how much memory is taken on trust.
const chunk = 1 << 20

// readAll reads r to its end. It trusts nobody who says how much there will be.
func readAll(ctx context.Context, what string, r io.Reader, size, most int64) ([]byte, error) {
	if size > most {
		return nil, over("bytes of "+what, size, most)
	}
	return readMore(ctx, what, make([]byte, 0, min(max(size, 0)+1, chunk)), r, most)
}

// readMore reads r to its end, behind what data has, and returns what it has read with an error.
func readMore(ctx context.Context, what string, data []byte, r io.Reader, most int64) (
	[]byte, error) {
	for {
		if err := ctx.Err(); err != nil {
			return data, context.Cause(ctx)
		}
		if len(data) == cap(data) {
			grown := make([]byte, len(data), min(2*int64(cap(data))+512, most+1))
			copy(grown, data)
			data = grown
		}
		n, err := r.Read(data[len(data):min(cap(data), len(data)+chunk)])
		data = data[:len(data)+n]
		if int64(len(data)) > most {
			return data, endless("bytes of "+what, most)
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, fmt.Errorf("pipes: %s: %w", what, err)
		}
	}
}
