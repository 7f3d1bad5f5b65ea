package sleepevent

// Stats are counts since a [Group] was made. They are read one by one while the workers go
// on, so they need not agree with each other until the group is quiet.
type Stats struct {
	KernelWakes uint64 // wakes that made a kernel call or, in the Go scheduler, readied a goroutine
	DrowseWakes uint64 // wakes that found their worker awake
	Parks       uint64 // times that a worker went to sleep
	Drowses     uint64 // times that a worker began to drowse
	Withdrawals uint64 // times that a worker left the idle set by itself
	Timeouts    uint64 // Withdrawals because an IdleTimeout reached its limit
	Swallowed   uint64 // DrowseWakes that met a worker whose rescan had found work already
}
