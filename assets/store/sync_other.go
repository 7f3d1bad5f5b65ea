//go:build !unix

package store

// syncDir does nothing where directories cannot be opened.
func syncDir(string) error { return nil }
