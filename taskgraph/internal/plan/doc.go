// Package plan lays out which tasks of a graph come after which: made once by a [Builder], and then
// counted down in run after run without anything being set back between them. Tasks are numbers
// here, from 0 on in the order in which they were added; what they do, and who runs them, is known
// above.
package plan
