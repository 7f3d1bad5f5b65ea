package main

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A studio has the thread that draws, and nothing else ever touches the context.
type studio struct {
	sys    *taskgraph.System
	render *namedthread.Thread
	gl     *gl
}

// openStudio makes the context on the thread that is to draw with it.
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

// draw begins a task on the render thread.
func (s *studio) draw(name string, f func(g *gl) error) taskgraph.Task {
	return s.sys.Task(taskgraph.Try(func() error {
		s.render.MustBeCurrent() // cheap beside a drawing call, and says who calls
		return f(s.gl)
	})).On(s.render).Name(name)
}

// paint computes the shapes on the workers, in whatever order, and draws each on the render
// thread after the one before it, while the next are being computed.
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

// about returns who draws.
func (s *studio) about(ctx context.Context) (who string, err error) {
	e := s.draw("about", func(g *gl) error { who = g.about(); return nil }).Launch()
	return who, s.sys.WaitUntilTasksComplete(ctx, e)
}

// A trespass is what became of calls from the wrong thread.
type trespass struct {
	code    int32  // the error of eglMakeCurrent
	version string // what glGetString said
	known   bool   // it was not NULL
}

// trespass calls OpenGL from another thread, as a program would whose goroutines are not tied to
// theirs, and by luck ran on the right one so far.
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
