// Package display ends the program in one line where Ebitengine would end it with a panic: on Linux
// the engine looks for a display while packages are initialized.
package display
