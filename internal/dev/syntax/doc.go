// Package syntax answers questions about the syntax of Go that several tools of this repository
// ask.
package syntax
