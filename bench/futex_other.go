//go:build !linux

package main

import "github.com/heddle-go/heddle/internal/atomics"

const hasFutex = false

func futexWait(*atomics.Uint32, uint32) { panic("bench: no futex") }
func futexWake(*atomics.Uint32)         { panic("bench: no futex") }
