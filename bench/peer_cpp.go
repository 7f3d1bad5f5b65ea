package main

import (
	"fmt"
	"time"
)

// A cppPeer is a runtime that lives in a C++ program.
type cppPeer struct {
	runtime string
	in      program
}

// The C++ runtimes. What is not a library is in the plain program.
var (
	tbb         = cppPeer{"onetbb", tbbProgram}
	tbbStatic   = cppPeer{"onetbb-static", tbbProgram}
	tbbTasks    = cppPeer{"onetbb-pieces", tbbProgram}
	tbbSerial   = cppPeer{"serial-c++", tbbProgram}
	openmp      = cppPeer{"openmp", openmpProgram}
	openmpAwake = cppPeer{"openmp-active", openmpProgram.with("OMP_WAIT_POLICY=active")}
	openmpSleep = cppPeer{"openmp-passive", openmpProgram.with("OMP_WAIT_POLICY=passive")}
	moody       = cppPeer{"moodycamel", moodyProgram}
	moodyTokens = cppPeer{"moodycamel-tokens", moodyProgram}
	vyukovRing  = cppPeer{"vyukov-ring", plainProgram}
	chaseLev    = cppPeer{"chase-lev", plainProgram}
	cppFutex    = cppPeer{"futex-c++", plainProgram}
	cppSpin     = cppPeer{"spin-c++", plainProgram}
	cppSerial   = cppPeer{"serial-c++", plainProgram}
)

// with is the program with a setting of its environment.
func (p program) with(setting string) program {
	p.setting = setting
	return p
}

// row is the peer's row: the program runs a job, which is made for a number of workers, checks
// itself what came out, and answers with the nanoseconds of each pass of so many units.
func (p cppPeer) row(units int, job func(s *session, workers int) (string, error)) row {
	return row{runtime: p.runtime, lang: langCPP,
		turn: func(s *session, workers int) (reading, error) {
			took, err := p.ask(s, workers, job)
			samples := make([]float64, len(took))
			for i, ns := range took {
				samples[i] = float64(ns) / float64(units)
			}
			return reading{samples: samples}, err
		}}
}

// ask runs a job and returns the answer.
func (p cppPeer) ask(s *session, workers int,
	job func(s *session, workers int) (string, error)) ([]int64, error) {
	running, err := s.cpp.start(p.in)
	if err != nil {
		return nil, err
	}
	line, err := job(s, workers)
	if err != nil {
		return nil, err
	}
	return running.ask(line)
}

// plainJob makes the line of a job that needs the usual: the size, and how long to go on.
func plainJob(name string, n int) func(s *session, workers int) (string, error) {
	return func(s *session, workers int) (string, error) {
		return fmt.Sprintf("%s workers=%d n=%d turn=%d", name, workers, n,
			s.turn/time.Nanosecond), nil
	}
}
