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
