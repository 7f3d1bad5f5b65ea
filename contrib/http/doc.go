// Package heddlehttp runs CPU-heavy handlers of net/http as tasks of a taskgraph.System: by
// priority, with a bound on what waits, and without those whose clients have gone away.
//
//	pool := heddlehttp.NewPool(sys)
//	clicks := pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityHigh})
//	batch := pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityBackgroundNormal})
//	mux.Handle("/sign", clicks.Handler(sign))
//	mux.Handle("/resize", batch.Handler(resize))
//
// A handler of a Class is called on a worker of the system, while the goroutine of its connection
// waits. Requests that no worker has taken are counted; beyond the bound of their class they are
// refused with status 503 and a Retry-After. One that ends while it waits, because its client has
// gone or its deadline has passed, gives up its place at once and its handler is never called. A
// long handler calls Yield to let waiting requests of higher priority go first.
//
// A program ends in this order: http.Server.Shutdown, which waits for the requests under way, and
// then System.Shutdown.
package heddlehttp
