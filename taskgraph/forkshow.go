package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/kernel"

// settleDown is called when there have been enough public forks for a long time.
func (o *owner) settleDown() { o.sys.kern.EnoughForks(o.slot, o.forks.SettleDown()) }

// publishMore makes sure that there are enough public forks before the holder runs a private one.
func (o *owner) publishMore(l kernel.Level) {
	if o.slot.Forks(l) < o.slot.Enough() {
		o.publish(l)
	}
}

// publish makes private forks public, the oldest first, until there are enough: F8. It answers a
// probe of the watch.
func (o *owner) publish(l kernel.Level) {
	enough := o.forks.Enough(o.slot.Forks(l) == 0)
	o.sys.kern.EnoughForks(o.slot, enough)
	for o.slot.Forks(l) < enough {
		k := o.forks.Publish()
		if k == nil {
			return
		}
		o.show(k)
	}
}

// publishAll makes all private forks public: F7.
func (o *owner) publishAll() { o.forks.PublishAll(o.show) }
