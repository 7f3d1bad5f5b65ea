package taskgraph

import "unsafe"

// codeOf returns the address of the code of f, which all closures made in one place share, unless that place was inlined into others. It is a number
// to remember f by and nothing else.
func codeOf[F func(lo, hi int) | func(p *Participant, lo, hi int) error](f F) uintptr {
	return **(**uintptr)(unsafe.Pointer(&f))
}

// codeOfSite is codeOf for a function of any type, and 0 for one that is nil.
func codeOfSite(f any) uintptr {
	fn := (*[2]*uintptr)(unsafe.Pointer(&f))[1] // the second word of an interface that holds a function is the function
	if fn == nil {
		return 0
	}
	return *fn
}

// stackAt returns where x, which is on the caller's stack, lies. It is a number to tell callers apart by and nothing else.
func stackAt(x *int32) uintptr { return uintptr(unsafe.Pointer(x)) }
