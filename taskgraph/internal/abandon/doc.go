// Package abandon ends what is incomplete in a system that gives up, beside bodies that go on.
// README.md has the protocol and its proof.
package abandon
