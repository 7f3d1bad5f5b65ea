package kernel

import "github.com/heddle-go/heddle/taskgraph/internal/entry"

// An inbox holds Normal work that a particular slot should run: its holder looks there before its
// own deque, and everybody else after all deques. So the preference does not hold work up.

// PushNear queues n for the worker of the given number, and sees that somebody takes it.
func (k *Kernel) PushNear(worker int, n entry.Entry) {
	s := k.base[worker]
	s.inbox.Push(n)
	// M1 after the push: see takeMail.
	s.mail.Store(true)
	k.late()
	if s.idle.Load() && !k.surplus(s) && s.group.WakeWorker(s.worker).Woke() { // M2
		return
	}
	// The worker may rest outside of the group, and be above the quota again before it looks.
	k.Wake(Normal) // M3
}

// takeMail takes a node out of the inbox of s. Any goroutine may call it.
func (k *Kernel) takeMail(s *Slot) (entry.Entry, bool) {
	n, ok := s.inbox.Pop()
	if s.inbox.Empty() {
		s.mail.Store(false)   // Q2
		if !s.inbox.Empty() { // Q3
			s.mail.Store(true)
			k.Wake(Normal)
		}
	}
	return n, ok
}

func (k *Kernel) stealMail(s *Slot) (entry.Entry, bool) {
	for _, v := range k.base {
		if v != s && v.mail.Load() {
			if n, ok := k.takeMail(v); ok {
				s.steals.Add(1)
				return n, true
			}
		}
	}
	return 0, false
}
