package rigid

// Overlap returns by how many metres the two bodies that overlap most do so, as the contacts
// of the last step say it at the bodies' places now.
func (w *World) Overlap() float32 {
	var worst float32
	for k := range w.cur {
		m := &w.cur[k]
		now := manifold{a: m.a, b: m.b}
		if w.Kind[m.a] == Gone || w.Kind[m.b] == Gone {
			continue
		}
		w.touch(&now, 0)
		for _, c := range now.c[:now.n] {
			worst = max(worst, -c.sep)
		}
	}
	return worst
}
