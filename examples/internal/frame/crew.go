package frame

import (
	"errors"

	"github.com/heddle-go/heddle/namedthread"
)

// A crew is the named threads. Several players can share one, in turns.
type crew struct {
	registry                    *namedthread.Registry
	game, render, audio, loader *namedthread.Thread
}

// threadNames are the names of the threads, as the system shows them.
var threadNames = [...]string{"Game", "Render", "Audio", "Loader"}

// newCrew makes the caller the game thread, and starts the others.
func newCrew() (*crew, error) {
	cr := &crew{registry: namedthread.NewRegistry()}
	game, err := cr.registry.Attach(threadNames[0], namedthread.Options{})
	if err != nil {
		return nil, err
	}
	cr.game = game
	for i, th := range []**namedthread.Thread{&cr.render, &cr.audio, &cr.loader} {
		if *th, err = cr.registry.Start(threadNames[i+1], namedthread.Options{}); err != nil {
			return nil, errors.Join(err, cr.close())
		}
	}
	return cr, nil
}

// lane returns the place of a thread behind the first lanes.
func (cr *crew) lane(th *namedthread.Thread, first int) int {
	for i, t := range [...]*namedthread.Thread{cr.game, cr.render, cr.audio, cr.loader} {
		if t == th && th != nil {
			return first + i
		}
	}
	return -1
}

// close ends the threads, and makes the caller an ordinary goroutine again.
func (cr *crew) close() error {
	for _, th := range []*namedthread.Thread{cr.render, cr.audio, cr.loader} {
		if th != nil {
			th.Quit()
			<-th.Done()
		}
	}
	return cr.game.Detach()
}
