//go:build !heddle_noassert && !js

package namedthread_test

import (
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
)

func ExampleThread_MustBeCurrent() {
	reg := namedthread.NewRegistry()
	render, err := reg.Start("Render", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	draw := func() { render.MustBeCurrent() }
	audio, err := reg.Start("Audio", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range []*namedthread.Thread{render, audio} {
		t.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(draw), 0)
		t.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(t.Quit), 0)
		<-t.Done()
		fmt.Println(t.Err())
	}
	// Output:
	// <nil>
	// namedthread: work of thread Audio panicked: namedthread: must run on Render, runs on Audio
}
