//go:build race

package main

// raced says that the race detector is at work, and everything thirty times as slow.
const raced = true
