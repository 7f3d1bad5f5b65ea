package pipes

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

// A Manifest is a table of values as encoding/json has them, from JSON, TOML or YAML. The texts of
// the list "depends", if there is one, name what it depends on.
type Manifest map[string]any

// manifests returns the decoder of a language.
func manifests(read func(data []byte) (Manifest, error)) Decoder {
	return Decoder{
		Version: 1,
		Measure: func(data []byte, l Limits) (int64, error) {
			if int64(len(data)) > l.Text {
				return 0, over("bytes of a manifest", int64(len(data)), l.Text)
			}
			if n := nesting(data); n > l.Depth {
				return 0, over("depth of a manifest", int64(n), int64(l.Depth))
			}
			return 32 * int64(len(data)), nil // of many short values
		},
		Decode: func(data []byte, l Limits) (Decoded, error) {
			m, err := read(data)
			if err != nil {
				return Decoded{}, err
			}
			if m == nil { // an empty text, or null
				m = Manifest{}
			}
			d := Decoded{Value: m, Size: 8 * int64(len(data))}
			switch list := m["depends"].(type) {
			case nil:
			case []any:
				for _, ref := range list {
					text, ok := ref.(string)
					if !ok {
						return Decoded{}, fmt.Errorf("%w: depends: %v is no text", ErrFormat, ref)
					}
					d.Refs = append(d.Refs, text)
				}
			default:
				return Decoded{}, fmt.Errorf("%w: depends is no list", ErrFormat)
			}
			return d, nil
		},
	}
}

// nesting returns how deep brackets stand in each other, counting those in texts too. YAML also
// nests by its margin, up to a limit of the library.
func nesting(data []byte) int {
	depth, most := 0, 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return most
}

func readJSON(data []byte) (m Manifest, err error) {
	err = json.Unmarshal(data, &m)
	return m, err
}

func readTOML(data []byte) (m Manifest, err error) {
	err = toml.Unmarshal(data, &m)
	return m, err
}

// readYAML refuses aliases: with them a short text is a long one.
func readYAML(data []byte) (m Manifest, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, err
	}
	if hasAlias(&root) {
		return nil, fmt.Errorf("%w: YAML with aliases", ErrLimit)
	}
	err = root.Decode(&m)
	return m, err
}

func hasAlias(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, hasAlias)
}
