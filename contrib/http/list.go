package heddlehttp

// A list holds the requests that wait, the oldest first. The zero value is empty.
type list struct {
	first, last *request
	len         int
}

func (l *list) push(q *request) {
	q.waits, q.before = true, l.last
	if l.last == nil {
		l.first = q
	} else {
		l.last.after = q
	}
	l.last = q
	l.len++
}

// remove takes q, which is in l, out of it.
func (l *list) remove(q *request) {
	if q.before == nil {
		l.first = q.after
	} else {
		q.before.after = q.after
	}
	if q.after == nil {
		l.last = q.before
	} else {
		q.after.before = q.before
	}
	q.before, q.after, q.waits = nil, nil, false
	l.len--
}
