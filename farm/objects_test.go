package farm

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// answers are what a server says, one after the other, and the last again and again. Where one is
// nil it has an object of one chunk.
type answers struct {
	jetstream.ObjectStore
	replicas int
	list     []error
	asked    int
	hook     func()
}

func (a *answers) next() error {
	err := a.list[min(a.asked, len(a.list)-1)]
	a.asked++
	if a.hook != nil {
		a.hook()
	}
	return err
}

func (a *answers) GetInfo(ctx context.Context, _ string, _ ...jetstream.GetObjectInfoOpt) (
	*jetstream.ObjectInfo, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, jetstream.ErrBadObjectMeta
	}
	return &jetstream.ObjectInfo{Chunks: 1}, a.next()
}

type answersOfStream struct {
	jetstream.Stream
	*answers
}

func (s answersOfStream) CachedInfo() *jetstream.StreamInfo {
	return &jetstream.StreamInfo{Config: jetstream.StreamConfig{Replicas: s.replicas}}
}

func (s answersOfStream) GetMsg(context.Context, uint64, ...jetstream.GetMsgOpt) (
	*jetstream.RawStreamMsg, error) {
	return &jetstream.RawStreamMsg{Data: []byte("chunk"), Sequence: 7}, s.next()
}

func (a *answers) store() objects {
	return objects{store: a, stream: answersOfStream{answers: a}}
}

// While nobody answers a content is asked for again, each time with an end of its own; that it is
// not there is an answer, which a node of a cluster may have to give several times.
func TestAsk(t *testing.T) {
	unanswered := []error{context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrTimeout,
		jetstream.ErrNoStreamResponse, errors.New("whatever else")}
	missing := jetstream.ErrObjectNotFound
	for _, c := range []struct {
		name     string
		replicas int
		list     []error
		want     error
		asked    int
	}{
		{"at once", 1, []error{nil}, nil, 2},
		{"after some failures", 1, append(unanswered, nil), nil, 7},
		{"in the middle", 1, append([]error{nil}, append(unanswered, nil)...), nil, 7},
		{"missing", 1, []error{context.DeadlineExceeded, missing}, ErrMissing, 2},
		{"a chunk is missing", 1, []error{nil, jetstream.ErrMsgNotFound}, ErrMissing, 2},
		{"a node is behind", 3,
			[]error{missing, missing, nil, jetstream.ErrMsgNotFound, nil}, nil, 5},
		{"the connection is closed", 1,
			[]error{nats.ErrConnectionClosed}, nats.ErrConnectionClosed, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := &answers{replicas: c.replicas, list: c.list}
			rc, err := a.store().open(t.Context(), Ref{})
			if err == nil {
				var b []byte
				if b, err = io.ReadAll(rc); err == nil {
					require.Equal(t, "chunk", string(b))
				}
			}
			require.ErrorIs(t, err, c.want)
			require.Equal(t, c.asked, a.asked)
		})
	}
}

// Who asks does so as long as its context lasts, and then says why that has ended, be it the
// context of the user, that of the run, or that of the farm.
func TestAskEnds(t *testing.T) {
	gone := errors.New("the user has gone")
	for _, outer := range []bool{false, true} {
		users, endUser := context.WithCancelCause(t.Context())
		owners, endOwner := context.WithCancelCause(t.Context())
		a := &answers{replicas: 1, list: []error{context.DeadlineExceeded}}
		a.hook = func() {
			switch {
			case a.asked < 3:
			case outer:
				endOwner(gone)
			default:
				endUser(gone)
			}
		}
		_, err := during{a.store(), owners}.open(users, Ref{})
		require.ErrorIs(t, err, gone)
		endUser(nil)
		endOwner(nil)
	}
}
