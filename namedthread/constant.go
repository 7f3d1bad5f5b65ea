package namedthread

import "strconv"

// constant returns the name of v among those of the constants of a type, or one that says that v is
// none.
func constant[T ~uint8](of string, v T, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return of + "(" + strconv.Itoa(int(v)) + ")"
}
