package assets

import (
	"errors"
	"iter"

	"github.com/heddle-go/heddle/assets/internal/trie"
)

// NewMemory returns a Registry in memory. Its GUID and Info are wait-free and allocate nothing;
// Put and Delete are lock-free. An ID and its Info are put one after the other: for a moment one
// may be found by its GUID and not yet by its ID.
func NewMemory(infos ...Info) (Registry, error) {
	m := &memory{ids: trie.New[ID, GUID](), infos: trie.New[GUID, Info]()}
	return m, m.Put(infos...)
}

// A memory has two maps. An Info is put before the ID that leads to it, and goes after it.
type memory struct {
	ids   *trie.Map[ID, GUID]
	infos *trie.Map[GUID, Info]
}

// GUID implements Registry.
func (m *memory) GUID(id ID) (GUID, bool) {
	if g := m.ids.Load(id); g != nil {
		return *g, true
	}
	return GUID{}, false
}

// Info implements Registry.
func (m *memory) Info(g GUID) (Info, bool) {
	if i := m.infos.Load(g); i != nil {
		return *i, true
	}
	return Info{}, false
}

// Put implements Registry.
func (m *memory) Put(infos ...Info) error {
	for _, i := range infos {
		if i.ID == "" {
			return errors.New("assets: a resource without an ID")
		}
		if i.GUID == (GUID{}) {
			i.GUID = MakeGUID(i.ID)
		}
		old := m.infos.Store(i.GUID, &i)
		m.ids.Store(i.ID, &i.GUID)
		if old != nil && old.ID != i.ID {
			m.forget(old)
		}
	}
	return nil
}

// Delete implements Registry.
func (m *memory) Delete(guids ...GUID) error {
	for _, g := range guids {
		if old := m.infos.Load(g); old != nil {
			m.forget(old)
			m.infos.CompareAndDelete(g, old)
		}
	}
	return nil
}

// forget removes the ID of an Info unless it leads elsewhere by now.
func (m *memory) forget(i *Info) {
	if g := m.ids.Load(i.ID); g != nil && *g == i.GUID {
		m.ids.CompareAndDelete(i.ID, g)
	}
}

// All implements Registry.
func (m *memory) All() iter.Seq[Info] {
	return func(yield func(Info) bool) {
		for _, i := range m.infos.All() {
			if !yield(*i) {
				return
			}
		}
	}
}
