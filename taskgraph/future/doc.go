// Package future has tasks that yield a value, for package taskgraph.
//
//	words := future.Go(sys, load)
//	longest := future.Go(sys, func(c *taskgraph.Context) (string, error) {
//		ws, err := words.Get(c) // the worker does other tasks meanwhile
//		...
//	})
//	s, err := longest.Get(ctx)
package future
