//go:build !amd64 && !arm64

package main

import "runtime"

// lscq adds a row in place of that of lscq, which is written in assembly.
func (w *workload) lscq(crowd) {
	w.rows = append(w.rows, goRow("lscq", func(*session, int) (reading, error) {
		return reading{}, absent("lscq has no code for " + runtime.GOARCH)
	}))
}
