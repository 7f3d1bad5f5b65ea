package pipes

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/heddle-go/heddle/assets"
)

// A Decoder makes a value of the bytes of one format, or of several that can be told apart. Its
// functions may be called by any goroutine.
type Decoder struct {
	// Version changes when Decode gives other values than before: what was built by another version
	// is not used.
	Version int
	// Measure returns how many bytes of memory Decode takes beside data, at most. It looks at the
	// header, takes little time, and fails with ErrLimit or ErrFormat. Nil: as many as data has.
	Measure func(data []byte, l Limits) (int64, error)
	// Decode may keep data. Its errors wrap ErrLimit or ErrFormat.
	Decode func(data []byte, l Limits) (Decoded, error)
}

// Decoded is what a Decoder found.
type Decoded struct {
	Value any
	Size  int64 // bytes of memory that Value takes
	// Refs are what the value refers to: paths with slashes, as seen from where it is.
	Refs []string
}

// Decoders returns the decoders of this package, by format: "png", "jpg", "jpeg" and "webp" are an
// *image.NRGBA, "gltf" and "glb" a *gltf.Document, "ogg" a *Sound, "ttf" and "otf" an *sfnt.Font,
// "json", "toml" and "yaml" a Manifest, and "bin" is the []byte itself.
func Decoders() map[string]Decoder {
	return map[string]Decoder{
		"png": pictures("png"), "jpg": pictures("jpeg"), "jpeg": pictures("jpeg"),
		"webp": pictures("webp"),
		"gltf": models, "glb": models,
		"ogg": sounds,
		"ttf": fonts, "otf": fonts,
		"json": manifests(readJSON), "toml": manifests(readTOML), "yaml": manifests(readYAML),
		"bin": {Version: 1, Decode: func(data []byte, _ Limits) (Decoded, error) {
			return Decoded{Value: data, Size: int64(len(data))}, nil
		}},
	}
}

// DecodeOptions configure the pipe of Decode.
type DecodeOptions struct {
	// By has the decoders by Item.Variant.Format, or by type, slash and format, which comes before;
	// default Decoders().
	By     map[string]Decoder
	Limits Limits
}

// decoder returns who decodes an item.
func (o *DecodeOptions) decoder(it *assets.Item) (Decoder, bool) {
	if d, ok := o.By[it.Info.Type+"/"+it.Variant.Format]; ok {
		return d, true
	}
	d, ok := o.By[it.Variant.Format]
	return d, ok
}

func (o DecodeOptions) orDefault() DecodeOptions {
	o.Limits = o.Limits.OrDefault()
	if o.By = maps.Clone(o.By); o.By == nil {
		o.By = Decoders()
	}
	return o
}

// Decode returns the pipe "decode", which makes Item.Value of Item.Data, and Item.Children of what
// that refers to: their IDs are paths beside the item's ID. It fails with ErrUnhandled, or
// ErrPath if something refers to what is not below the root of all IDs. An item that has a Value is
// left as it is.
func Decode(o DecodeOptions) assets.Pipe {
	o = o.orDefault()
	return assets.Pipe{Name: "decode", Run: func(_ context.Context, it *assets.Item) error {
		if it.Value != nil {
			return nil
		}
		if it.Data == nil {
			return fmt.Errorf("%w: no fetcher for %.100q", ErrUnhandled, it.Variant.Path)
		}
		d, ok := o.decoder(it)
		if !ok {
			return fmt.Errorf("%w: no decoder for %q of type %q", ErrUnhandled, it.Variant.Format,
				it.Info.Type)
		}
		found, err := decode(it, d, o.Limits)
		if err != nil {
			return err
		}
		it.Data = nil
		return take(it, found)
	}}
}

// decode reserves what a decoder needs, and has it decode.
func decode(it *assets.Item, d Decoder, l Limits) (found Decoded, err error) {
	defer guard(it.Variant.Format, &err)
	need := int64(len(it.Data))
	if d.Measure != nil {
		if need, err = d.Measure(it.Data, l); err != nil {
			return found, damaged(it.Variant.Format, err)
		}
	}
	if err := it.Reserve(int64(len(it.Data)) + need); err != nil {
		return found, err
	}
	if found, err = d.Decode(it.Data, l); err != nil {
		return found, damaged(it.Variant.Format, err)
	}
	return found, nil
}

// take makes what was found the item's.
func take(it *assets.Item, found Decoded) error {
	it.Value, it.Size = found.Value, found.Size // first: who fails has its Value closed
	for _, ref := range found.Refs {
		id, err := beside(it.ID, ref)
		if err != nil {
			return err
		}
		it.Children = append(it.Children, id)
	}
	return nil
}

// beside returns the ID of what a resource refers to.
func beside(id assets.ID, ref string) (assets.ID, error) {
	whole, _, _ := strings.Cut(string(id), "#")
	name := path.Join(path.Dir(whole), ref)
	if path.IsAbs(ref) || strings.Contains(ref, ":") || checkPath(name) != nil {
		return "", fmt.Errorf("%w: %.100q refers to %.100q", ErrPath, id, ref)
	}
	return assets.ID(name), nil
}
