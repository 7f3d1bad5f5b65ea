// Package wrapped is what the seam is not: structs around the words of sync/atomic, with
// methods that forward. It is here so that the test of the machine code can be seen to fail.
package wrapped

import "sync/atomic"

type Bool struct{ w atomic.Bool }

func (x *Bool) Load() bool                      { return x.w.Load() }
func (x *Bool) Store(v bool)                    { x.w.Store(v) }
func (x *Bool) Swap(v bool) bool                { return x.w.Swap(v) }
func (x *Bool) CompareAndSwap(old, v bool) bool { return x.w.CompareAndSwap(old, v) }

type Int32 struct{ w atomic.Int32 }

func (x *Int32) Load() int32                      { return x.w.Load() }
func (x *Int32) Store(v int32)                    { x.w.Store(v) }
func (x *Int32) Swap(v int32) int32               { return x.w.Swap(v) }
func (x *Int32) CompareAndSwap(old, v int32) bool { return x.w.CompareAndSwap(old, v) }
func (x *Int32) Add(v int32) int32                { return x.w.Add(v) }
func (x *Int32) And(v int32) int32                { return x.w.And(v) }
func (x *Int32) Or(v int32) int32                 { return x.w.Or(v) }

type Int64 struct{ w atomic.Int64 }

func (x *Int64) Load() int64                      { return x.w.Load() }
func (x *Int64) Store(v int64)                    { x.w.Store(v) }
func (x *Int64) Swap(v int64) int64               { return x.w.Swap(v) }
func (x *Int64) CompareAndSwap(old, v int64) bool { return x.w.CompareAndSwap(old, v) }
func (x *Int64) Add(v int64) int64                { return x.w.Add(v) }
func (x *Int64) And(v int64) int64                { return x.w.And(v) }
func (x *Int64) Or(v int64) int64                 { return x.w.Or(v) }

type Uint32 struct{ w atomic.Uint32 }

func (x *Uint32) Load() uint32                      { return x.w.Load() }
func (x *Uint32) Store(v uint32)                    { x.w.Store(v) }
func (x *Uint32) Swap(v uint32) uint32              { return x.w.Swap(v) }
func (x *Uint32) CompareAndSwap(old, v uint32) bool { return x.w.CompareAndSwap(old, v) }
func (x *Uint32) Add(v uint32) uint32               { return x.w.Add(v) }
func (x *Uint32) And(v uint32) uint32               { return x.w.And(v) }
func (x *Uint32) Or(v uint32) uint32                { return x.w.Or(v) }

type Uint64 struct{ w atomic.Uint64 }

func (x *Uint64) Load() uint64                      { return x.w.Load() }
func (x *Uint64) Store(v uint64)                    { x.w.Store(v) }
func (x *Uint64) Swap(v uint64) uint64              { return x.w.Swap(v) }
func (x *Uint64) CompareAndSwap(old, v uint64) bool { return x.w.CompareAndSwap(old, v) }
func (x *Uint64) Add(v uint64) uint64               { return x.w.Add(v) }
func (x *Uint64) And(v uint64) uint64               { return x.w.And(v) }
func (x *Uint64) Or(v uint64) uint64                { return x.w.Or(v) }

type Uintptr struct{ w atomic.Uintptr }

func (x *Uintptr) Load() uintptr                      { return x.w.Load() }
func (x *Uintptr) Store(v uintptr)                    { x.w.Store(v) }
func (x *Uintptr) Swap(v uintptr) uintptr             { return x.w.Swap(v) }
func (x *Uintptr) CompareAndSwap(old, v uintptr) bool { return x.w.CompareAndSwap(old, v) }
func (x *Uintptr) Add(v uintptr) uintptr              { return x.w.Add(v) }
func (x *Uintptr) And(v uintptr) uintptr              { return x.w.And(v) }
func (x *Uintptr) Or(v uintptr) uintptr               { return x.w.Or(v) }

type Pointer[T any] struct{ w atomic.Pointer[T] }

func (x *Pointer[T]) Load() *T                      { return x.w.Load() }
func (x *Pointer[T]) Store(v *T)                    { x.w.Store(v) }
func (x *Pointer[T]) Swap(v *T) *T                  { return x.w.Swap(v) }
func (x *Pointer[T]) CompareAndSwap(old, v *T) bool { return x.w.CompareAndSwap(old, v) }
