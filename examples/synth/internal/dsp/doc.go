// Package dsp makes and changes sound in blocks of 64 samples: oscillators, envelopes, filters,
// echoes, a chorus, and convolution with a long response in two layers, the first in the block and
// the rest in pieces that may be late by a known time. Nothing is allocated after set-up. No value
// may be used by two goroutines at once.
package dsp
