package ark

import (
	"hash/maphash"
	"reflect"
	"unsafe"

	"github.com/mlange-42/ark/ecs"
)

var seed = maphash.MakeSeed()

// sums returns a checksum of each column of each table.
func (v *view) sums() [][]uint64 {
	all := make([][]uint64, len(v.tables))
	for i, t := range v.tables {
		all[i] = make([]uint64, len(t.ids))
		for j := range t.ids {
			all[i][j] = maphash.Bytes(seed, t.bytes(j))
		}
	}
	return all
}

// bytes returns the memory of the rows of column j.
func (t *table) bytes(j int) []byte {
	if t.len == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(t.bases[t.ids[j].Index()]), t.len*int(t.types[j].Size()))
}

// values returns the rows of column j, as a slice of its type: with pointers in it, memory is
// copied so that the garbage collector sees it.
func (t *table) values(j int) reflect.Value {
	if t.len == 0 {
		return reflect.MakeSlice(reflect.SliceOf(t.types[j]), 0, 0)
	}
	return reflect.SliceAt(t.types[j], t.bases[t.ids[j].Index()], t.len)
}

// A snapshot is a copy of some columns.
type snapshot struct {
	columns []savedColumn
}

type savedColumn struct {
	table  *table
	index  int
	values reflect.Value
}

// save copies the columns of the components for which which is true.
func (v *view) save(which func(ecs.ID) bool) *snapshot {
	s := new(snapshot)
	for _, t := range v.tables {
		for j, id := range t.ids {
			if !which(id) {
				continue
			}
			copied := reflect.MakeSlice(reflect.SliceOf(t.types[j]), t.len, t.len)
			reflect.Copy(copied, t.values(j))
			s.columns = append(s.columns, savedColumn{t, j, copied})
		}
	}
	return s
}

// restore puts the columns back.
func (s *snapshot) restore() {
	for _, c := range s.columns {
		reflect.Copy(c.table.values(c.index), c.values)
	}
}

// scramble fills the columns with other values: where there is no pointer all bits are flipped,
// otherwise the value is zero.
func (s *snapshot) scramble() {
	for _, c := range s.columns {
		if plain(c.table.types[c.index]) {
			for i, b := range c.table.bytes(c.index) {
				c.table.bytes(c.index)[i] = ^b
			}
			continue
		}
		c.table.values(c.index).Clear()
	}
}

// plain says whether values of a type are nothing but bytes, any of which are valid.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for f := range t.NumField() {
			if !plain(t.Field(f).Type) {
				return false
			}
		}
		return true
	case reflect.Bool: // other bytes than 0 and 1 are none
		return false
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Complex128
}
