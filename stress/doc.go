// Package stress tests Heddle from outside, as a user would: random programs against
// sequential models of what each part promises. It ships nothing.
//
// A failing program is printed in its shortest form, with the flag that runs it again.
package stress
