// Package trie has a map that many goroutines read and change without a lock.
package trie
