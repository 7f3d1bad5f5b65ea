// Package traces writes recorded traces to files that the flags of commands name.
package traces
