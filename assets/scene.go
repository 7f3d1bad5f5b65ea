package assets

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Scene is resources that a program needs together.
type Scene struct {
	Name  string // not ""
	Roots []ID
	// Stays says that the scene's resources stay when another takes its place, until
	// Manager.Leave. Otherwise a switch releases them.
	Stays bool
}

// scenes is the state of Switch and Leave.
type scenes struct {
	busy    atomics.Bool
	current Scene
	held    map[string][]*Handle
}

// Switch makes a scene the current one: it loads the Roots of next, and then releases what the one
// before held, with everything that depends on it alone, unless that Stays; and unloads ordinary
// resources that lie idle. So what both need stays, exactly what next does not need goes, and only
// what is not there is loaded.
//
// If ctx ends before all is loaded, nothing has changed, and its cause is returned. Roots that fail
// are returned as one error, joined, and do not stop the switch. Switch and Leave are called by one
// goroutine at a time, and panic otherwise.
func (m *Manager) Switch(ctx context.Context, next Scene) error {
	defer m.scenes.enter()()
	s := &m.scenes
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	handles := make([]*Handle, len(next.Roots))
	for i, id := range next.Roots {
		handles[i] = m.Acquire(id)
	}
	var failed []error
	for _, h := range handles {
		err := h.Wait(ctx)
		if err != nil && h.Err() == nil { // the wait ended
			m.releaseAll(handles)
			return err
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	if s.held == nil {
		s.held = map[string][]*Handle{}
	}
	again := s.held[next.Name] // the same scene, if it is entered once more
	s.held[next.Name] = handles
	m.releaseAll(again)
	if last := s.current; last.Name != next.Name && !last.Stays {
		m.releaseAll(s.held[last.Name])
		delete(s.held, last.Name)
	}
	s.current = next
	m.turn.Put(note{kind: noteLeave})
	return errors.Join(failed...)
}

// Leave releases what a scene holds, the current one or one that Stays, and reports whether there
// was such a one.
func (m *Manager) Leave(name string) bool {
	defer m.scenes.enter()()
	s := &m.scenes
	handles, ok := s.held[name]
	if !ok {
		return false
	}
	delete(s.held, name)
	if s.current.Name == name {
		s.current = Scene{}
	}
	m.releaseAll(handles)
	m.turn.Put(note{kind: noteLeave})
	return true
}

func (m *Manager) releaseAll(handles []*Handle) {
	for _, h := range handles {
		m.release(h, Left)
	}
}

func (s *scenes) enter() (leave func()) {
	if s.busy.Swap(true) {
		panic("assets: Switch and Leave are for one goroutine at a time")
	}
	return func() { s.busy.Store(false) }
}
