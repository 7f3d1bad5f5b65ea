package heddlehttp

// Stats is a snapshot of what a Class has counted. Each request that has come is in one of them.
type Stats struct {
	Waiting int    // requests that wait for a worker now
	Running int    // handlers that run now
	Served  uint64 // handlers that have returned
	Failed  uint64 // handlers that have panicked or ended their goroutine
	Refused uint64 // requests that found MaxWaiting others, or a system that has been shut down
	Expired uint64 // requests whose deadline passed while they waited
	Gone    uint64 // requests whose client went away while they waited, or sent its body
	TooLong uint64 // requests with a body of more than MaxBody bytes
}
