package taskgraph

import "unsafe"

// codeOf returns the address of the code of f, which all closures made in one place share, unless that place was inlined into others. It is a number
// to remember f by and nothing else.
func codeOf(f func(lo, hi int)) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }
