package atomics

// inlined makes the methods of the aliased types inlinable for importers. The compiler exports the
// inline body of another package's method only if it inlines that method here, in code that is not
// generic; without this function, every atomic operation in a package that does not import
// sync/atomic is a call. A package with only generic code needs such a function for the same
// reason.
func inlined(i *Int32, l *Int64, b *Bool, u *Uint32, v *Uint64, p *Uintptr) bool {
	i.Store(i.Load() + i.Add(1) + i.Swap(1) + i.And(1) + i.Or(1))
	l.Store(l.Load() + l.Add(1) + l.Swap(1) + l.And(1) + l.Or(1))
	u.Store(u.Load() + u.Add(1) + u.Swap(1) + u.And(1) + u.Or(1))
	v.Store(v.Load() + v.Add(1) + v.Swap(1) + v.And(1) + v.Or(1))
	p.Store(p.Load() + p.Add(1) + p.Swap(1) + p.And(1) + p.Or(1))
	b.Store(b.Load() || b.Swap(true))
	return i.CompareAndSwap(1, 2) && l.CompareAndSwap(1, 2) && b.CompareAndSwap(true, false) &&
		u.CompareAndSwap(1, 2) && v.CompareAndSwap(1, 2) && p.CompareAndSwap(1, 2)
}

var _ = inlined
