//go:build !modelcheck

package atomics

// extended returns the registers ECX and EDX that CPUID gives for a leaf above 0x80000000, or zeros
// if the processor has no such leaf.
func extended(leaf uint32) (c, d uint32)
