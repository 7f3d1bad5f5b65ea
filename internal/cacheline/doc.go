// Package cacheline is about what two cores write to one line of memory: how far apart two words
// must lie so that they do not, and when who looks had better let the other write a little longer.
package cacheline
