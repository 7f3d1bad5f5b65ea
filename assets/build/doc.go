// Package build makes of a tree of resources another one, in the forms that a program on one
// platform wants to load: one after the other, on the workers of a task graph, or on a farm of
// processes. What was built before is taken from a cache. The same tree and rules give the same
// bytes in each way.
package build
