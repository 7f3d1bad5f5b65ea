// Package labels has the labels of runtime/pprof under which a goroutine runs one body or another.
package labels
