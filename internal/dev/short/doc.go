// Package short makes tests that import it run in their short form, as with -short, unless
// they are run with -short=false. So go test ./... takes seconds, and make test-long leaves nothing
// out.
package short
