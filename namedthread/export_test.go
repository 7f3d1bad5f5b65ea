package namedthread

import "strconv"

// Assertions says whether MustBeCurrent looks.
const Assertions = assertions

// OSThreadEntries counts the named threads that Current can find.
func OSThreadEntries() int {
	if m := byOSThread.Load(); m != nil {
		return len(*m)
	}
	return 0
}

// Fill enters threads that do not run until the registry is full.
func Fill(r *Registry) {
	for i := range MaxThreads {
		if err := r.add(newThread(r, strconv.Itoa(i), Options{})); err != nil {
			panic(err)
		}
	}
}
