package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
)

// A source is where resources are loaded from.
type source struct {
	registry assets.Registry
	disk     map[string]pipes.Fetcher
	network  map[string]pipes.Fetcher
	ids      []assets.ID // what there is
	indexed  bool
	close    func() error
}

// openSource opens a directory, an archive or a URL.
func openSource(ctx context.Context, arg, registry string, cache *store.Cache) (*source, error) {
	if arg == "" {
		return nil, errors.New("want a directory, an archive or a URL")
	}
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		return openURL(ctx, arg, cache)
	}
	info, err := os.Stat(arg)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return openDir(arg, registry)
	}
	a, err := pipes.OpenArchive(arg, pipes.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	var files []assets.Info
	for _, name := range a.Names() {
		if !hidden(name) {
			files = append(files, found(name, 0))
		}
	}
	return onDisk(fold(files), a, a.Close)
}

func openDir(arg, registry string) (*source, error) {
	t, err := openTree(arg, registry)
	if err != nil {
		return nil, err
	}
	infos, indexed, err := t.resources()
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	s, err := onDisk(infos, t.files, t.Close)
	if err == nil {
		s.indexed = indexed
	}
	return s, err
}

// onDisk returns the source of resources whose files a fetcher has.
func onDisk(infos []assets.Info, f pipes.Fetcher, close func() error) (*source, error) {
	registry, err := assets.NewMemory(infos...)
	if err != nil {
		return nil, errors.Join(err, close())
	}
	return &source{registry: registry, disk: map[string]pipes.Fetcher{"": f}, ids: ids(infos),
		close: close}, nil
}

// A listing is what serve says of a tree: the answer to its root.
type listing struct {
	Files []listed `json:"files"`
}

type listed struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

// maxListing is how long a listing may be, in bytes.
const maxListing = 64 << 20

// openURL returns the source of one resource with what it depends on or, if the path of the URL
// ends in a slash, of all that a serve lists there.
func openURL(ctx context.Context, arg string, cache *store.Cache) (*source, error) {
	u, err := url.Parse(arg)
	if err != nil {
		return nil, err
	}
	web := pipes.NewHTTP(pipes.HTTPOptions{Cache: cache})
	by := map[string]pipes.Fetcher{"http": web, "https": web}
	dir, name := path.Split(u.Path)
	base := &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: dir}
	r := &remote{base: base.String()}
	if base.Path == "" {
		r.base += "/"
	}
	var infos []assets.Info
	if name != "" {
		info := found(name, 0)
		info.Path = arg
		infos = append(infos, info)
	} else if infos, err = r.list(ctx, web); err != nil {
		return nil, errors.Join(err, web.Close())
	}
	if r.Registry, err = assets.NewMemory(infos...); err != nil {
		return nil, errors.Join(err, web.Close())
	}
	return &source{registry: r, network: by, ids: ids(infos), close: web.Close}, nil
}

// A remote is a registry of what is below a URL. Whatever somebody refers to is thought to be
// there.
type remote struct {
	assets.Registry
	base string // ends in a slash
}

func (r *remote) url(name string) string { return r.base + (&url.URL{Path: name}).EscapedPath() }

// GUID implements assets.Registry.
func (r *remote) GUID(id assets.ID) (assets.GUID, bool) {
	if g, ok := r.Registry.GUID(id); ok {
		return g, true
	}
	info := found(string(id), 0)
	info.Path = r.url(info.Path)
	if err := r.Put(info); err != nil {
		return assets.GUID{}, false
	}
	return r.Registry.GUID(id)
}

// list returns what a serve has.
func (r *remote) list(ctx context.Context, web *pipes.HTTP) ([]assets.Info, error) {
	data, err := web.Fetch(ctx, r.base, maxListing)
	if err != nil {
		return nil, err
	}
	var l listing
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("%s: no listing of resources: %w", r.base, err)
	}
	files := make([]assets.Info, len(l.Files))
	for i, f := range l.Files {
		if !fs.ValidPath(f.Path) || f.Size < 0 {
			return nil, fmt.Errorf("%s: %w: %.100q", r.base, pipes.ErrPath, f.Path)
		}
		files[i] = found(f.Path, f.Size)
	}
	infos := fold(files)
	for i := range infos {
		infos[i].Path = r.url(infos[i].Path)
		for j := range infos[i].Variants {
			infos[i].Variants[j].Path = r.url(infos[i].Variants[j].Path)
		}
	}
	return infos, nil
}
