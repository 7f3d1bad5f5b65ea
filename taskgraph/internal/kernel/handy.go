package kernel

// Handy reports whether a worker for level l would come quickly, because one is searching or
// drowsing. It is a hint.
func (k *Kernel) Handy(l Level) bool {
	if g := k.groups[0]; g != nil && !l.IsBackground() &&
		(g.Searching() > 0 || g.DrowsingCount() > 0) {
		return true
	}
	g := k.groups[1]
	return g.Searching() > 0 || g.DrowsingCount() > 0
}
