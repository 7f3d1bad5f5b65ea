package flight

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

// A Name says how a task is called, and perhaps which priority it has, in 58 bits.
//
//	 57     56 55      48 47       0
//	[ kind    | priority | its value ]
type Name uint64

// The kinds of names.
const (
	codeName  Name = 1 << 56 // the address of a function's code
	typeName  Name = 2 << 56 // the address of a type
	labelName Name = 3 << 56 // the number of a text
	kindMask  Name = 3 << 56
	valueMask Name = 1<<48 - 1
)

// NameOf returns the name of a body, which is a function, or has methods. It does not allocate.
func NameOf(f any, function bool) Name {
	if f == nil {
		return 0
	}
	words := (*[2]unsafe.Pointer)(unsafe.Pointer(&f))
	if !function {
		return typeName | Name(uintptr(words[0]))&valueMask
	}
	if words[1] == nil {
		return 0
	}
	return codeName | Name(*(*uintptr)(words[1]))&valueMask
}

// At returns n with a priority.
func (n Name) At(prio uint8) Name { return n | Name(prio+1)<<48 }

// Priority returns the priority that n has.
func (n Name) Priority() (prio uint8, ok bool) {
	p := uint8(n >> 48)
	return p - 1, p != 0
}

// String returns the name in words, unless it is a label.
func (n Name) String() string {
	v := n & valueMask
	switch n & kindMask {
	case codeName:
		fn := runtime.FuncForPC(uintptr(v))
		if fn == nil {
			return ""
		}
		name := fn.Name()
		name = name[strings.LastIndexByte(name, '/')+1:]
		return strings.TrimSuffix(name, "-fm")
	case typeName:
		var f any
		(*[2]uintptr)(unsafe.Pointer(&f))[0] = uintptr(v)
		return fmt.Sprint(reflect.TypeOf(f))
	}
	return ""
}

// text returns the name in words, also if it is a label.
func (g *Log) text(n Name) string {
	if n&kindMask != labelName {
		return n.String()
	}
	v := n & valueMask
	if l := g.labels[v%labels].Load(); l != nil && l.number == uint64(v) {
		return l.text
	}
	return ""
}
