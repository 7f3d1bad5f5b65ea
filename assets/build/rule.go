package build

import (
	"slices"

	"github.com/heddle-go/heddle/assets/build/encode"
)

// A Rule says what is made of resources of certain formats, as assets.Info.Format has them.
type Rule struct {
	Formats []string
	Encoder *encode.Encoder
}

// Desktop returns rules for machines with memory and a card that reads BC7: whole textures with
// their mip chains, models in the order of the vertex cache, sounds without loss.
func Desktop() []Rule { return rules(encode.TextureOptions{}) }

// Small returns rules for machines with less of both: BC1 and BC3, with sides of at most 512
// pixels.
func Small() []Rule { return rules(encode.TextureOptions{Small: true, Side: 512}) }

func rules(o encode.TextureOptions) []Rule {
	return []Rule{
		{[]string{"png", "jpg", "jpeg", "webp"}, encode.Texture(o)},
		{[]string{"gltf", "glb"}, encode.Mesh()},
		{[]string{"wav"}, encode.FLAC()},
	}
}

// encoder returns who is for a format; nil: it is copied.
func encoder(rules []Rule, format string) *encode.Encoder {
	for _, r := range rules {
		if slices.Contains(r.Formats, format) {
			return r.Encoder
		}
	}
	return nil
}
