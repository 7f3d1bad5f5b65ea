//go:build !race

package orchestra

const raced = false
