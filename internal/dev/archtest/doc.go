// Package archtest holds the rules of the house as ordinary tests: which package may import which,
// that shared memory is reached through one seam, that every exported name is explained, that a
// page names only what still exists and is short enough to be read, that the steps of a proof and
// the comments which cite them agree, and a few more. Its tests read the source of the module and
// need neither git nor a network.
//
// Each rule is a function from a parsed tree to findings, and each comes with small trees
// held in memory that break it, so that a rule which has stopped seeing anything fails too.
package archtest
