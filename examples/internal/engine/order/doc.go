// Package order sorts what is drawn: keys of 64 bits, without allocation.
package order
