// Package faults has only tests: they make what the library stands on go wrong while it works, and
// hold what it promises then. README.md says which faults, and how they are made.
package faults
