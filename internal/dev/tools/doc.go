// Package tools pins the programs that check this repository: they are tool dependencies of
// this nested module, so that no user of Heddle downloads them and every machine runs the
// same versions. `go -C internal/dev/tools tool NAME` runs one; `make staticcheck` and
// `make bench-compare` build theirs from here into bin/.
package tools
