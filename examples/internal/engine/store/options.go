package store

import "io/fs"

// Options say what a [Store] is of. All but Files and Parse may be left out.
type Options[T any] struct {
	// Files is where the files are.
	Files fs.FS
	// Parse makes a value of a file, and says how many bytes it has. It reads with read alone. What
	// has ended too early is an io.ErrUnexpectedEOF, and else an error says that the file is
	// damaged.
	Parse func(name string, read Reader) (value T, size int64, err error)
	// Requests is how many requests there are at a time, at most: they have numbers below.
	Requests int
	// Budget is how many bytes values may have that nobody has, together with those that somebody
	// has.
	Budget int64
	// Limit is how many bytes the files of one value may have; 0: 64 MiB.
	Limit int64
}

const usualLimit = 64 << 20
