package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
)

// registryName is where index keeps what it found.
const registryName = ".assets.db"

// The types of what has no type by its name.
const otherType, otherFormat = "other", "bin"

// types are the types of resources by format.
var types = map[string]string{
	"png": "texture", "jpg": "texture", "jpeg": "texture", "webp": "texture",
	"dds": "texture", "gltf": "model", "glb": "model", "bin": "buffer", "ogg": "sound",
	"flac": "sound", "wav": "sound", "ttf": "font", "otf": "font",
	"json": "manifest", "toml": "manifest", "yaml": "manifest",
}

// describe returns what a file is, by its name. What nobody decodes is its bytes.
func describe(name string) (typ, format string) {
	base, packed := strings.CutSuffix(strings.ToLower(path.Base(name)), ".zst")
	format = strings.TrimPrefix(path.Ext(base), ".")
	if format == "yml" {
		format = "yaml"
	}
	typ, known := types[format]
	if !known {
		typ, format = otherType, otherFormat
	}
	if packed {
		format += ".zst"
	}
	return typ, format
}

// found returns what is known of a file by its name and size.
func found(name string, size int64) assets.Info {
	typ, format := describe(name)
	return assets.Info{ID: assets.ID(name), Path: name, Type: typ, Format: format, Size: size}
}

// hidden reports whether a path is of no interest: a part of it begins with a dot.
func hidden(name string) bool { return name[0] == '.' || strings.Contains(name, "/.") }

// scan returns the files of a tree, sorted by name. What is no file is left out.
func scan(tree fs.FS) (files []assets.Info, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case hidden(name) && d.IsDir():
			return fs.SkipDir
		case hidden(name) || d.IsDir():
			return nil
		}
		// A link counts as what it leads to, if that is a file of the tree.
		info, err := fs.Stat(tree, name)
		if err == nil && info.Mode().IsRegular() {
			files = append(files, found(name, info.Size()))
		}
		return nil
	})
	return files, err
}

// variantOf splits the name of a file such as "tex/wood@android-low.png".
func variantOf(name string) (base string, p assets.Platform, ok bool) {
	ext := path.Ext(name)
	if ext == ".zst" {
		ext = path.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	stem := strings.TrimSuffix(name, ext)
	at := strings.LastIndexByte(stem, '@')
	if at <= strings.LastIndexByte(stem, '/')+1 || at == len(stem)-1 {
		return "", "", false
	}
	return stem[:at] + ext, assets.Platform(stem[at+1:]), true
}

// fold makes variants of the files that are one of another by their name.
func fold(files []assets.Info) []assets.Info {
	at := make(map[assets.ID]int, len(files))
	for i := range files {
		at[files[i].ID] = i
	}
	out := make([]assets.Info, 0, len(files))
	for _, f := range files {
		base, p, ok := variantOf(f.Path)
		i, there := at[assets.ID(base)]
		if !ok || !there {
			out = append(out, f)
			continue
		}
		files[i].Variants = append(files[i].Variants, assets.Variant{Platform: p, Path: f.Path,
			Hash: f.Hash, Format: f.Format, Size: f.Size})
	}
	for i := range out {
		out[i].Variants = files[at[out[i].ID]].Variants
	}
	return out
}

// A tree is a directory, opened.
type tree struct {
	dir      string
	files    *pipes.Dir
	registry string // its file
}

// openTree opens the directory of an argument.
func openTree(arg, registry string) (*tree, error) {
	if arg == "" {
		return nil, errors.New("want a directory; assets generate DIR makes one to try")
	}
	info, err := os.Stat(arg)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: arg, Err: errors.New("not a directory")}
	}
	if err != nil {
		return nil, err
	}
	files, err := pipes.OpenDir(arg)
	if err != nil {
		return nil, err
	}
	if registry == "" {
		registry = filepath.Join(arg, registryName)
	}
	return &tree{arg, files, registry}, nil
}

func (t *tree) Close() error { return t.files.Close() }

// indexed returns what the registry has, sorted by ID; an error that wraps fs.ErrNotExist if there
// is none. The file is free again afterwards.
func (t *tree) indexed() ([]assets.Info, error) {
	if _, err := os.Stat(t.registry); err != nil {
		return nil, err
	}
	r, err := store.OpenRegistry(t.registry)
	if err != nil {
		return nil, err
	}
	infos := slices.Collect(r.All())
	sortByID(infos)
	return infos, r.Close()
}

// resources returns what is indexed or, where there is no registry, found.
func (t *tree) resources() (infos []assets.Info, indexed bool, err error) {
	infos, err = t.indexed()
	if !errors.Is(err, fs.ErrNotExist) {
		return infos, true, err
	}
	files, err := scan(t.files.FS())
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", t.dir, err)
	}
	return fold(files), false, nil
}

func sortByID(infos []assets.Info) {
	slices.SortFunc(infos, func(a, b assets.Info) int {
		return strings.Compare(string(a.ID), string(b.ID))
	})
}
