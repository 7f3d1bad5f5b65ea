package atomics

// Inlined does everything that the words can do, and stores the sums.
var Inlined = inlined
