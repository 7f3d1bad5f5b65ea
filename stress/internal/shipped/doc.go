// Package shipped says which packages of the module are the library: those that a user's program
// links. The commands that judge the library go by it.
package shipped
