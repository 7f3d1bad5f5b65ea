package farm

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// listen subscribes to what is announced: results (C4) and workers.
func (f *Farm) listen() error {
	done, err := f.nc.Subscribe(f.doneSubject("*"), f.announced)
	if err != nil {
		return err
	}
	if err = done.SetPendingLimits(1<<20, 256<<20); err != nil {
		return err
	}
	if _, err = f.nc.Subscribe(f.workerSubject("*"), f.heardOf); err != nil {
		return err
	}
	return f.nc.Flush()
}

// announced is C4: a result was put on record, or taken away, and the server says so.
func (f *Farm) announced(m *nats.Msg) {
	key, err := parseHash(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:])
	if err != nil || m.Header.Get("KV-Operation") != "" {
		return
	}
	f.mu.Lock()
	fl := f.flights[key]
	f.mu.Unlock()
	if fl == nil {
		return
	}
	if rec, err := decodeRecord(m.Data); err == nil {
		f.settleWith(fl, rec)
	}
}

// janitor is C5: it looks for results that were not announced to this process, and queues again
// what has neither a result nor a place in the queue, or one that is forgotten (C6).
func (f *Farm) janitor() {
	tick := time.NewTicker(max(f.opts.Recheck/8, time.Millisecond))
	defer tick.Stop()
	status := f.nc.StatusChanged(nats.CONNECTED)
	defer f.nc.RemoveStatusListener(status)
	for {
		all := false
		select {
		case <-f.ctx.Done():
			return
		case <-status:
			all = true // what was announced meanwhile has not come
		case <-tick.C:
		}
		now := time.Now()
		f.mu.Lock()
		var due []*flight
		for _, fl := range f.flights {
			if !fl.here && (all || now.After(fl.check)) {
				fl.interval = min(2*fl.interval, 16*f.opts.Recheck)
				fl.check = now.Add(fl.interval)
				due = append(due, fl)
			}
		}
		f.mu.Unlock()
		for _, fl := range due {
			f.ops.add(func() { f.recheck(fl) })
		}
	}
}

func (f *Farm) recheck(fl *flight) {
	ctx, cancel := context.WithTimeout(fl.ctx, 10*time.Second)
	defer cancel()
	rec, _, err := f.find(ctx, fl.key)
	switch {
	case err != nil:
	case rec != nil:
		f.settleWith(fl, rec)
	default:
		f.mu.Lock()
		queued := !fl.queued.IsZero()
		f.mu.Unlock()
		if !queued {
			return
		}
		if seq, ok := f.publish(fl, false); ok && seq == 0 {
			f.remind(ctx, fl)
		}
	}
}
