// Package mix generates programs that use every feature of package taskgraph together, with every
// fault, and runs them: whatever is mixed, every body runs as often as the program says,
// after what it depends on; all events complete, with the failures that they must have; and
// nothing is left over. The tests of this package and the soak command run them.
package mix
