package assets

import "container/list"

// A Reason says why nobody holds a resource any more.
type Reason uint8

// The reasons.
const (
	Released Reason = iota // its last handle was released
	Orphaned               // what depended on it was released alone, or failed
	Tree                   // either, by ReleaseTree
	Left                   // either, by Switch or Leave
)

// A Resident is what a Keeper knows of a resource: of those that depend on each other in a circle
// one stands for all.
type Resident struct {
	ID   ID
	Type string
	Keep Keep  // never KeepDefault; of several the longest
	Size int64 // in bytes, of all of them
}

// A Keeper says what becomes of resources that are ready and that nobody holds. A Manager calls the
// methods one at a time, on any goroutine, which must not be held up, and they must not panic. Each
// manager has its own.
type Keeper interface {
	// Idle is called when nobody holds a resource any more. It returns those that shall be unloaded
	// now, that one perhaps, of all that it was told to be idle. The Keeper forgets these at once;
	// one that is held again by then stays.
	Idle(r Resident, why Reason) []ID
	// Busy is called when a resource that is idle is held again, or was unloaded otherwise.
	Busy(id ID)
	// Leave is called when a scene is left, and returns what shall be unloaded.
	Leave() []ID
}

// NewKeeper returns a Keeper that does what the table of README.md says, and keeps up to budget
// bytes of idle resources that may go, the least recently held ones least. A budget of 0 keeps
// none.
func NewKeeper(budget int64) Keeper {
	return &keeper{budget: budget, at: map[ID]*list.Element{}}
}

// A keeper has a list of what may go, the one that was held last in front.
type keeper struct {
	budget, bytes int64
	recent        list.List
	at            map[ID]*list.Element
}

// Idle implements Keeper.
func (k *keeper) Idle(r Resident, why Reason) []ID {
	switch {
	case r.Keep == KeepAlways || r.Keep == KeepManual:
		return nil
	case why == Tree || r.Keep == KeepScene && why != Orphaned:
		return []ID{r.ID}
	}
	k.at[r.ID] = k.recent.PushFront(r)
	k.bytes += r.Size
	var out []ID
	for k.bytes > k.budget {
		oldest := k.recent.Back().Value.(Resident)
		out = append(out, oldest.ID)
		k.Busy(oldest.ID)
	}
	return out
}

// Busy implements Keeper.
func (k *keeper) Busy(id ID) {
	if e := k.at[id]; e != nil {
		k.bytes -= k.recent.Remove(e).(Resident).Size
		delete(k.at, id)
	}
}

// Leave implements Keeper.
func (k *keeper) Leave() []ID {
	var out []ID
	for e := k.recent.Back(); e != nil; e = e.Prev() {
		if r := e.Value.(Resident); r.Keep == KeepScene {
			out = append(out, r.ID)
		}
	}
	for _, id := range out {
		k.Busy(id)
	}
	return out
}
