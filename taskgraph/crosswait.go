package taskgraph

import "slices"

// beginThreadWait shows what r's thread waits for, to threads that wait for work bound to it: that
// work has to stay aside until this wait is over, so they wait for what this one waits for. It is
// called after the wait was counted, and before its first look.
func (r *runner) beginThreadWait(events []Event) *waiting {
	s := r.sys
	w := &waiting{events: slices.Clone(events), next: r.threadWait.Load()}
	r.threadWait.Store(w)
	if s.threadWaits.Load() > 1 {
		for i := range s.threads {
			if t := s.threads[i].Load(); t != nil && t.thread != r.thread && t.waitsHere.Load() != 0 {
				t.thread.Wake()
			}
		}
	}
	return w
}

func (r *runner) endThreadWait(w *waiting) { r.threadWait.Store(w.next) }

// behindThread appends what the thread waits for to which the task of e is bound, if it is
// another than r's: until that is over the task does not run, unless it is awaited there.
func (r *runner) behindThread(e Event, stack []Event) []Event {
	s := r.sys
	th := s.colds.At(uint32(e.Node())).boundTo()
	if th == nil || th == r.thread {
		return stack
	}
	if t := s.threads[th.Index()].Load(); t != nil && t.thread == th {
		for w := t.threadWait.Load(); w != nil; w = w.next {
			stack = append(stack, w.events...)
		}
	}
	return stack
}
