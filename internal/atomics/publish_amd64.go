//go:build !modelcheck && !race

package atomics

// Publish stores v in w, as a Store, for a writer that nobody else writes to w beside. Who reads v
// sees all that the writer did before. But unlike a Store it does not come before what the writer
// reads next: on amd64 it is a plain move, where a Store is an exchange that waits for all stores
// before it.
//
//go:noescape
func Publish(w *Uint64, v uint64)
