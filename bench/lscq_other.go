//go:build !amd64 && !arm64

package main

import "runtime"

func lscqRow(shape) row {
	return row{name: lscqName, prepare: func(*session) (turn, error) {
		return nil, absent("lscq has no code for " + runtime.GOARCH)
	}}
}
