// Package profile says of a recorded trace where the time went: how much work there was and how
// long its critical path, which tasks are on it and which have slack, why workers were idle, and
// what more workers would bring.
//
//	r := profile.Of(snapshot, profile.Options{})
//	fmt.Println(r.Work, r.Span, r.Parallelism())
//	for _, s := range r.Path {
//		fmt.Println(s.Name, s.Time, s.Share)
//	}
//
// Work is the time of all bodies. The span is that of the longest chain of what could not be done
// at the same time, and no number of workers is faster. The README has the rules by which it is
// found, and what a trace cannot say. Package export writes reports and traces for people and for
// viewers.
package profile
