//go:build linux && gc && !heddle_nolinkname && !modelcheck

package park

var LookUp = lookUp
