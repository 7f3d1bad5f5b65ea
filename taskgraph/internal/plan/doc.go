// Package plan lays out which tasks of a graph come after which. A [Builder] makes a plan once;
// then run after run counts predecessors, and nothing has to be reset between runs. Tasks are
// numbers here, from 0 on in the order in which they were added; only the package above knows what
// they do and who runs them.
package plan
