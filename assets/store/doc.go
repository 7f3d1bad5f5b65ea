// Package store keeps on disk what package assets needs again at the next start: a [Registry] of
// what resources there are, and a [Cache] of what was built of them.
//
// A process that is killed at any moment leaves both so that they open, with everything whose call
// had returned and nothing by half. README.md says why that is so, and why the registry is a file
// of bbolt.
package store
