// Package columns summarises the columns of numbers in a text of comma-separated values, block by
// block, while the next block is read. It is an example of a library that launches tasks and has
// no workers of its own: see docs/embedding.md.
package columns
