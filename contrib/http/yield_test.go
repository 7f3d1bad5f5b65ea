package heddlehttp_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestYield has a long handler give its only worker to requests of every higher priority, and to
// none of its own or below.
func TestYield(t *testing.T) {
	priorities := []taskgraph.Priority{
		taskgraph.PriorityHigh, taskgraph.PriorityNormal, taskgraph.PriorityBackgroundHigh,
		taskgraph.PriorityBackgroundNormal, taskgraph.PriorityBackgroundLow,
	}
	for rank, own := range priorities {
		t.Run(own.String(), func(t *testing.T) {
			alone(t, func(t *testing.T, _ *taskgraph.System, pool *heddlehttp.Pool) {
				var order []string
				began, open := make(chan struct{}), make(chan struct{})
				long := pool.NewClass(heddlehttp.Options{Priority: own})
				first := ask(t.Context(), long.Handler(http.HandlerFunc(
					func(_ http.ResponseWriter, r *http.Request) {
						close(began)
						<-open
						order = append(order, "began")
						if err := heddlehttp.Yield(r.Context()); err != nil {
							t.Error(err)
						}
						order = append(order, "ended")
					})), "/long")
				<-began
				var replies []*reply
				for _, p := range priorities {
					class := pool.NewClass(heddlehttp.Options{Priority: p})
					replies = append(replies, ask(t.Context(), class.Handler(http.HandlerFunc(
						func(http.ResponseWriter, *http.Request) {
							order = append(order, p.String())
						})), "/"))
					<-replies[len(replies)-1].queued
				}
				close(open)
				first.is(t, http.StatusOK)
				for _, p := range replies {
					p.is(t, http.StatusOK)
				}
				want := []string{"began"}
				for i, p := range priorities {
					if i == rank {
						want = append(want, "ended")
					}
					want = append(want, p.String())
				}
				require.Equal(t, want, order)
			})
		})
	}
}

// TestYieldWhoseClientGoes gives the worker away and hears meanwhile that the client has gone.
func TestYieldWhoseClientGoes(t *testing.T) {
	alone(t, func(t *testing.T, _ *taskgraph.System, pool *heddlehttp.Pool) {
		ctx, cancel := context.WithCancel(t.Context())
		began, open := make(chan struct{}), make(chan struct{})
		var err error
		long := ask(ctx, pool.NewClass(heddlehttp.Options{
			Priority: taskgraph.PriorityBackgroundNormal,
		}).Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(began)
			<-open
			err = heddlehttp.Yield(r.Context())
		})), "/")
		<-began
		l := newLatch()
		short := ask(t.Context(), pool.NewClass(heddlehttp.Options{}).Handler(l), "/short")
		<-short.queued
		close(open)
		<-l.came
		cancel()
		close(l.open)
		<-long.done
		short.is(t, http.StatusOK)
		if err != nil { // else the turn had come before the wait saw the end
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

// TestWorker has a loop of a handler shared by workers.
func TestWorker(t *testing.T) {
	_, pool := start(t, 2)
	var sum int
	var priority taskgraph.Priority
	class := pool.NewClass(heddlehttp.Options{Priority: taskgraph.PriorityBackgroundHigh})
	ask(t.Context(), class.Handler(http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			c := heddlehttp.Worker(r.Context())
			priority = c.Priority()
			parts := make([]int, 1000)
			if err := c.ParallelFor(len(parts), 0, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					parts[i] = i
				}
			}); err != nil {
				t.Error(err)
			}
			for _, p := range parts {
				sum += p
			}
		})), "/").is(t, http.StatusOK)
	require.Equal(t, 499500, sum)
	require.Equal(t, taskgraph.PriorityBackgroundHigh, priority)
}
