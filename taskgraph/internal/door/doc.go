// Package door counts what goes on in a system, so that whoever ends it knows when all is over:
// launches that are not complete, and those who may launch more. README.md has the protocol and its
// proof.
package door
