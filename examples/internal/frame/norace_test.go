//go:build !race

package frame

const raced = false
