package frame

import (
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
)

// A Format is a kind of files that models are read from.
type Format struct {
	Extensions []string // of the names, with their points
	// Parse reads a model. It changes no file and reads through read alone. What has ended too
	// early is an io.ErrUnexpectedEOF.
	Parse func(name string, read store.Reader) (*mesh.Mesh, error)
}

// meshes is the format that -make writes.
var meshes = Format{
	Extensions: []string{mesh.Extension},
	Parse: func(name string, read store.Reader) (*mesh.Mesh, error) {
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		return mesh.Decode(text)
	},
}
