//go:build modelcheck || race || !amd64

package atomics

// Publish stores v in w, as a Store, for a writer that nobody else writes to w beside. Who reads v
// sees all that the writer did before. But unlike a Store it does not come before what the writer
// reads next: on amd64 it is a plain move, where a Store is an exchange that waits for all stores
// before it.
func Publish(w *Uint64, v uint64) { w.Store(v) }
