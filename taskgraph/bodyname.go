package taskgraph

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

func bodyName(f any) string {
	switch f := f.(type) {
	case func(), func() error, func(*Context) error, func(lo, hi int),
		func(*Participant, int, int) error, func(*Context, *Args):
		fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		if fn == nil {
			return ""
		}
		name := fn.Name()
		name = name[strings.LastIndexByte(name, '/')+1:]
		return strings.TrimSuffix(name, "-fm")
	case *loop:
		return "a loop"
	case *plainLoop:
		return bodyName(f.body)
	case *Loop:
		if f.Body != nil {
			return bodyName(f.Body)
		}
	case *Graph:
		return "a graph"
	case *choosing:
		return bodyName(f.body.f)
	case *periodic:
		return bodyName(f.body.f)
	case Job:
		return fmt.Sprintf("%T", f)
	}
	return ""
}
