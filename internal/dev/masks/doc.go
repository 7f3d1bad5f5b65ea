// Package masks tells on which processors the threads of the process may run, for tests that leave
// none of them bound.
package masks
