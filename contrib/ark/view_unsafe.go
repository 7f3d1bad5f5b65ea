package ark

import (
	"reflect"
	"unsafe"

	"github.com/mlange-42/ark/ecs"
	"github.com/mlange-42/ark/ecs/stats"
)

// A view knows where the columns of a world are. Ark does not show them, but says enough: how long
// each table is, which entity is at a place of a query, and where a component of an entity is.
type view struct {
	world   *ecs.World
	filter  *ecs.Filter0
	ids     []ecs.ID
	open    ecs.Query0 // of all entities; it locks the world while systems run
	locked  bool
	tables  []*table // in the order of open
	version uint64   // grows whenever the tables have changed
	epoch   uint64   // how many times it was locked

	observed bool // there are observers of the world
	mixed    bool // commands have been applied one by one since it was locked
	together int  // how many tables have been moved as a whole
}

// A table holds entities with the same components, in rows.
type table struct {
	ids   []ecs.ID // its components
	mask  mask
	types []reflect.Type
	probe int // index in ids of a component that takes room, or -1

	first   int // number of rows of all tables before it
	len     int
	cap     int
	witness ecs.Entity // in row 0 when the bases were found
	bases   []unsafe.Pointer

	relations bool         // there are other tables with the same components
	filter    *ecs.Filter0 // of these components and no others
	census    *census
	moved     uint64 // the last epoch at whose end entities of it were moved together
}

func newView(w *ecs.World) *view {
	return &view{world: w, filter: ecs.NewFilter0(w)}
}

// lock finds the columns and locks the world, so that they stay.
func (v *view) lock() {
	v.open, v.locked = v.filter.Query(), true
	v.epoch++
	v.mixed = false
	v.refresh()
}

// unlock gives the world free.
func (v *view) unlock() {
	if v.locked {
		v.locked = false
		v.open.Close()
	}
}

// refresh finds out where the columns are, while open is. The order of statistics is that of a
// query for all entities: archetypes as they were made, and each one's tables.
func (v *view) refresh() {
	st := v.world.Stats()
	if len(v.ids) != len(st.ComponentTypes) {
		v.ids = ecs.ComponentIDs(v.world)
	}
	v.observed = st.Observers > 0
	changed, n, first := false, 0, 0
	for i := range st.Archetypes {
		arch := &st.Archetypes[i]
		for j := range arch.Tables {
			if n == len(v.tables) {
				v.tables = append(v.tables, new(table))
			}
			t := v.tables[n]
			n++
			if t.census == nil || !t.is(arch) { // a new one has no components, as an archetype may
				*t = v.newTable(arch)
				changed = true
			}
			size, room := arch.Tables[j].Size, arch.Tables[j].Capacity
			changed = changed || t.first != first || t.len != size
			t.first, t.len = first, size
			// Tables of an archetype with relations change places, so which one this is has to be
			// asked each time.
			if size > 0 && (t.cap != room || arch.NumRelations > 0 || !t.current(v.world)) {
				v.locate(t)
			}
			t.cap = room
			first += size
		}
	}
	if n != len(v.tables) {
		v.tables = v.tables[:n]
		changed = true
	}
	if changed || v.version == 0 {
		v.version++
	}
}

func (v *view) newTable(arch *stats.Archetype) table {
	t := table{
		probe:     -1,
		relations: arch.NumRelations > 0,
		filter:    ecs.NewFilter0(v.world),
		census:    new(census),
	}
	for i, index := range arch.ComponentIDs {
		id := v.ids[index]
		t.ids = append(t.ids, id)
		t.types = append(t.types, arch.ComponentTypes[i])
		t.mask.set(id)
		if arch.ComponentTypes[i].Size() > 0 {
			t.probe = i
		}
		for len(t.bases) <= int(index) {
			t.bases = append(t.bases, nil)
		}
		t.filter.With(compOf(arch.ComponentTypes[i]))
	}
	t.filter.Exclusive()
	return t
}

// is says whether t has the components of an archetype.
func (t *table) is(arch *stats.Archetype) bool {
	if len(t.ids) != len(arch.ComponentIDs) {
		return false
	}
	for i, id := range arch.ComponentIDs {
		if t.ids[i].Index() != id {
			return false
		}
	}
	return true
}

// current says whether the columns are where they were found: a table moves all of them at once, to
// new memory, which is not that of the old ones since these are kept alive by the bases.
func (t *table) current(w *ecs.World) bool {
	if t.probe < 0 || t.bases[t.ids[t.probe].Index()] == nil || !w.Alive(t.witness) {
		return false
	}
	id, u := t.ids[t.probe], w.Unsafe()
	return u.HasUnchecked(t.witness, id) && u.GetUnchecked(t.witness, id) == t.bases[id.Index()]
}

// locate finds the columns of a table that is not empty. Chunks ask the table for them, so they
// need not be made anew.
func (v *view) locate(t *table) {
	t.witness = v.open.EntityAt(t.first)
	u := v.world.Unsafe()
	for _, id := range t.ids {
		t.bases[id.Index()] = u.GetUnchecked(t.witness, id)
	}
}

// base returns where the column of a component begins, or nil if the table has none.
func (t *table) base(id ecs.ID) unsafe.Pointer {
	if int(id.Index()) >= len(t.bases) {
		return nil
	}
	return t.bases[id.Index()]
}

// compOf returns what ecs.C returns for a type that is known only when the program runs. A Comp is
// a struct of that one field; that it is can be seen from its Type.
func compOf(t reflect.Type) ecs.Comp {
	c := *(*ecs.Comp)(unsafe.Pointer(&t))
	if c.Type() != t {
		panic("ark: this version of Ark has another ecs.Comp")
	}
	return c
}

// One does not build where a Comp has another size than a reflect.Type.
var _ [unsafe.Sizeof(ecs.Comp{})]byte = [unsafe.Sizeof(*new(reflect.Type))]byte{}
