//go:build !modelcheck

#include "textflag.h"

// func prefetchToWrite(address uintptr)
TEXT ·prefetchToWrite(SB), NOSPLIT, $0-8
	MOVQ address+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which the assembler does not know
	RET

// func prefetchToRead(address uintptr)
TEXT ·prefetchToRead(SB), NOSPLIT, $0-8
	MOVQ address+0(FP), AX
	PREFETCHT0 (AX)
	RET

// func knowsPrefetchW() bool
TEXT ·knowsPrefetchW(SB), NOSPLIT, $0-1
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, $0x80000001
	JCS  no
	MOVL $0x80000001, AX
	CPUID
	SHRL $8, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET
no:
	MOVB $0, ret+0(FP)
	RET
