//go:build !modelcheck

#include "textflag.h"

// func Prefetch(address uintptr)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVD address+0(FP), R0
	PRFM (R0), PSTL1KEEP
	RET
