package main

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A studio has the thread that draws. No other thread touches the context.
type studio struct {
	sys    *taskgraph.System
	render *namedthread.Thread
	calls  int // tasks that called OpenGL; for the thread alone
	gl     *gl
}

// openStudio makes the context on the thread that will draw with it.
func openStudio(ctx context.Context, sys *taskgraph.System,
	reg *namedthread.Registry) (*studio, error) {
	render, err := reg.Start("Render", namedthread.Options{})
	if err != nil {
		return nil, err
	}
	s := &studio{sys: sys, render: render}
	made := sys.Task(taskgraph.Try(func() (err error) {
		s.gl, err = newGL(width, height)
		return err
	})).On(render).Name("context").Launch()
	if err := sys.WaitUntilTasksComplete(ctx, made); err != nil {
		s.close(ctx)
		return nil, err
	}
	return s, nil
}

func (s *studio) close(ctx context.Context) {
	if s.gl != nil {
		gone := s.sys.Task(taskgraph.Do(s.gl.close)).On(s.render).Launch()
		_ = s.sys.WaitUntilTasksComplete(ctx, gone)
	}
	s.render.Quit()
	<-s.render.Done()
}

// draw returns a task on the render thread.
func (s *studio) draw(name string, f func(g *gl) error) taskgraph.Task {
	return s.sys.Task(taskgraph.Try(func() error {
		s.render.MustBeCurrent() // cheap beside a drawing call; names both threads if they differ
		s.calls++
		return f(s.gl)
	})).On(s.render).Name(name)
}

// paint computes the shapes on the workers, in any order, and draws each on the render thread after
// the one before it, while the workers compute the next ones.
func (s *studio) paint(ctx context.Context) (*image.NRGBA, error) {
	drawn := s.draw("clear", func(g *gl) error { g.clear(night); return nil }).Launch()
	add := func(name string, compute func() []vertex) {
		var shape []vertex
		ready := s.sys.Task(taskgraph.Do(func() { shape = compute() })).Name("compute " +
			name).Launch()
		drawn = s.draw(name, func(g *gl) error { g.fan(shape); return nil }).After(ready,
			drawn).Launch()
	}
	for i := range petals {
		add(fmt.Sprint("petal ", i), petalOf(i).shape)
	}
	add("heart", heart)
	var picture *image.NRGBA
	read := s.draw("read", func(g *gl) (err error) {
		picture,
			err = g.read()
		return err
	}).After(drawn).Launch()
	err := s.sys.WaitUntilTasksComplete(ctx, read)
	return picture, err
}

// about returns the renderer and its version.
func (s *studio) about(ctx context.Context) (text string, err error) {
	e := s.draw("about", func(g *gl) error { text = g.about(); return nil }).Launch()
	return text, s.sys.WaitUntilTasksComplete(ctx, e)
}

// A trespass is the outcome of calls from the wrong thread.
type trespass struct {
	code    int32  // the error of eglMakeCurrent
	version string // what glGetString said
	known   bool   // it was not NULL
}

// trespass calls OpenGL from another thread, as a program does whose goroutines are not tied to
// their threads.
func (s *studio) trespass(ctx context.Context, reg *namedthread.Registry) (x trespass, err error) {
	other, err := reg.Start("Other", namedthread.Options{})
	if err != nil {
		return x, err
	}
	e := s.sys.Task(taskgraph.Do(func() {
		x.code, x.version,
			x.known = s.gl.elsewhere()
	})).On(other).Launch()
	err = s.sys.WaitUntilTasksComplete(ctx, e)
	other.Quit()
	<-other.Done()
	return x, errors.Join(err, other.Err())
}
