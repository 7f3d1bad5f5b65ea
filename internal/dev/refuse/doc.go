// Package refuse has the kernel refuse system calls, for tests of what is done then. It is for
// Linux; elsewhere it is empty.
package refuse
