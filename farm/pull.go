package farm

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A consumer is the queue of one job in one priority, of which all workers take.
type consumer struct {
	stream, name string
	inbox        string
	id           jobID
	prio         Priority
	ackWait      time.Duration // after which a job is another worker's
	asking       asking
	asked        time.Time
	hint         bool // there may be more
}

type asking uint8

const (
	idle    asking = iota
	nowait         // for what is there
	waiting        // for what comes
)

type arrival struct {
	c   *consumer
	msg *nats.Msg
}

// pullFor is how long a request for a message that is to come is good for.
const pullFor = 5 * time.Second

// loop takes messages as long as there are free slots. Consumers that may have something are asked
// one after the other, in the order of their priorities; when none has anything, each is asked for
// what comes first.
func (w *worker) loop() {
	free := w.opts.Slots
	tick := time.NewTicker(pullFor / 2)
	defer tick.Stop()
	connected := w.f.nc.StatusChanged(nats.CONNECTED)
	defer w.f.nc.RemoveStatusListener(connected)
	for {
		if free > 0 {
			w.ask()
		}
		select {
		case <-w.ctx.Done():
			return
		case <-w.freed:
			free++
		case a := <-w.arrivals:
			c := a.c
			c.asking = idle
			if isStatus(a.msg) {
				c.hint = false
				break
			}
			meta, err := a.msg.Metadata()
			c.hint = err == nil && meta.NumPending > 0
			if free == 0 {
				w.wg.Go(func() {
					w.decline(a.msg)
					w.f.note(Note{What: NoteGivenBack, Job: c.id.String(), Worker: w.opts.ID})
				})
				c.hint = true
				break
			}
			free--
			w.count(func(p *WorkerStatus) { p.Busy++ })
			w.wg.Go(func() {
				w.take(c, a.msg, meta)
				w.count(func(p *WorkerStatus) { p.Busy-- })
				w.freed <- struct{}{}
			})
		case <-connected:
			for _, c := range w.queue {
				c.asking = idle // a request is lost with its connection
			}
		case <-tick.C:
			// Or because a node of the cluster has ended.
			for _, c := range w.queue {
				if c.asking != idle && time.Since(c.asked) > 2*pullFor {
					c.asking = idle
				}
			}
		}
	}
}

// ask sends requests for a slot that is free.
func (w *worker) ask() {
	for _, c := range w.queue {
		if c.asking == nowait {
			return // its answer says whom to ask next
		}
		if c.hint && c.asking == idle {
			w.pull(c, nowait)
			return
		}
	}
	for _, c := range w.queue {
		if c.asking == idle {
			w.pull(c, waiting)
		}
	}
}

func (w *worker) pull(c *consumer, how asking) {
	c.asking, c.asked = how, time.Now()
	req := `{"batch":1,"no_wait":true}`
	if how == waiting {
		req = fmt.Sprintf(`{"batch":1,"expires":%d}`, pullFor)
	}
	err := w.f.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+c.stream+"."+c.name, c.inbox,
		[]byte(req))
	if err != nil {
		c.hint = false // the tick asks again
	}
}

// isStatus tells answers that are no deliveries: a delivery has where it is acknowledged, whatever
// its headers say.
func isStatus(m *nats.Msg) bool { return m.Reply == "" }

// decline gives a message back that there is no slot for. It has not run, and that does not count.
func (w *worker) decline(m *nats.Msg) {
	meta, err := m.Metadata()
	if err != nil {
		w.giveBack(m)
		return
	}
	key, err := parseHash(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:])
	if err != nil {
		w.giveBack(m)
		return
	}
	w.release(m, meta, key, 0)
}

// giveBack returns when the server can deliver the message again, or after answerIn: who asks for
// the most urgent one after that gets it, and none of lower priority.
func (w *worker) giveBack(m *nats.Msg) {
	if isStatus(m) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), answerIn)
	defer cancel()
	_, _ = w.f.nc.RequestWithContext(ctx, m.Reply, []byte("-NAK"))
}
