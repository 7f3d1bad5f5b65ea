// Package modelcheck checks small concurrent programs by running them in every order of
// their steps, or in as many as there is time for.
//
// [Check] takes one program, with threads that share words of the types of
// [github.com/heddle-go/heddle/stress/modelcheck/atomic] or of this module's containers.
// [Programs] takes a [Structure], that is, a type and its operations; it makes programs of
// them by itself and holds each history that they can have against a sequential
// specification. Both report a schedule that replays the failure, and a trace of it.
//
// Tests that use it are built with the tag modelcheck: go test -tags modelcheck. README.md
// beside the code shows how to check a structure of your own, and tutorial.md finds a bug.
package modelcheck
