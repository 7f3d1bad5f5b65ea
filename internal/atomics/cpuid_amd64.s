//go:build !modelcheck

#include "textflag.h"

// func extended(leaf uint32) (c, d uint32)
TEXT ·extended(SB), NOSPLIT, $0-16
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, leaf+0(FP)
	JCS  none
	MOVL leaf+0(FP), AX
	CPUID
	MOVL CX, c+8(FP)
	MOVL DX, d+12(FP)
	RET
none:
	MOVL $0, c+8(FP)
	MOVL $0, d+12(FP)
	RET
