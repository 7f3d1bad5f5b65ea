package frame

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/internal/dev/pagecache"
)

// listName names the file that says which models a folder has, one a line. Without it they are all
// files with the right extension, in the folder and below.
const listName = "models.txt"

// mostModels is how many models a folder may have.
const mostModels = 1 << 14

// models is a folder of them. Nothing outside of it is read, wherever its links lead.
type models struct {
	root   *os.Root
	format Format
	names  []string // by number
}

// openModels looks which models a folder has.
func openModels(dir string, format Format) (m *models, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Close())
		}
	}()
	m = &models{root: root, format: format}
	list, err := root.ReadFile(listName)
	switch {
	case err == nil:
		err = m.listed(list)
	case errors.Is(err, fs.ErrNotExist):
		err = m.found()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if len(m.names) == 0 {
		return nil, fmt.Errorf("%s: there is no %s, and no file *%s",
			dir, listName, strings.Join(format.Extensions, ", *"))
	}
	return m, nil
}

// listed takes the names of a list.
func (m *models) listed(list []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(list))
	for n := 1; lines.Scan(); n++ {
		name := strings.TrimSpace(lines.Text())
		if name == "" || name[0] == '#' {
			continue
		}
		if !fs.ValidPath(name) {
			return fmt.Errorf("%s: line %d: %q is no name of a file in the folder", listName, n,
				name)
		}
		if err := m.add(name); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", listName, err)
	}
	return nil
}

// found takes the names of the files that are there. A folder that cannot be looked into has none.
func (m *models) found() error {
	return fs.WalkDir(m.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			return nil
		}
		if d.IsDir() || !slices.Contains(m.format.Extensions, strings.ToLower(path.Ext(name))) {
			return nil
		}
		return m.add(name)
	})
}

func (m *models) add(name string) error {
	if len(m.names) == mostModels {
		return fmt.Errorf("more than %d models", mostModels)
	}
	m.names = append(m.names, name)
	return nil
}

// parse reads one, as a [store.Options] wants it.
func (m *models) parse(name string, read store.Reader) (*scene.Prop, int64, error) {
	model, err := m.format.Parse(name, read)
	if err != nil {
		return nil, 0, err
	}
	if len(model.Idx) == 0 {
		return nil, 0, errors.New("nothing is to be seen of it")
	}
	if err := model.Check(); err != nil {
		return nil, 0, err
	}
	p := scene.NewProp(model)
	return p, p.Bytes(), nil
}

// forget asks the system to forget what the files hold, and returns of how many it has any page in
// memory after that. The error says why that is not known of some. Files that are not there, or may
// not be read, do not count.
func (m *models) forget() (left int, unknown error) {
	for _, name := range m.names {
		if info, err := m.root.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := m.root.Open(name)
		if err != nil {
			continue
		}
		pages := 0
		if err = pagecache.Drop(f); err == nil {
			pages, err = pagecache.Resident(f)
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			unknown = err
		} else if pages > 0 {
			left++
		}
	}
	return left, unknown
}

func (m *models) close() error {
	if m == nil {
		return nil
	}
	return m.root.Close()
}
