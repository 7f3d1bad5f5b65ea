package farm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

// mixJobs are functions of all inputs, in their order, whose results have up to so many bytes.
func mixJobs(sizes ...int) *farm.Jobs {
	jobs := farm.NewJobs()
	for _, size := range sizes {
		jobs.Register(fmt.Sprint("mix", size), "1",
			func(ctx context.Context, in farm.Input, out io.Writer) error {
				arg, err := in.Bytes(ctx)
				if err != nil {
					return err
				}
				h := sha256.New()
				h.Write(arg)
				for i := range in.Refs() {
					rc, err := in.OpenRef(ctx, i)
					if err != nil {
						return err
					}
					_, err = io.Copy(h, rc)
					rc.Close()
					if err != nil {
						return err
					}
				}
				_, err = out.Write(bytes.Repeat(h.Sum(nil), size))
				return err
			})
	}
	return jobs
}

type mixNode struct {
	job  string
	size int
	from []int
	arg  []byte
}

func drawGraph(t *rapid.T, sizes []int) []mixNode {
	nodes := make([]mixNode, rapid.IntRange(1, 12).Draw(t, "nodes"))
	for i := range nodes {
		n := &nodes[i]
		n.size = rapid.SampledFrom(sizes).Draw(t, "size")
		n.job = fmt.Sprint("mix", n.size)
		n.arg = rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "argument")
		if i > 0 {
			n.from = rapid.SliceOfN(rapid.IntRange(0, i-1), 0, 3).Draw(t, "from")
		}
	}
	return nodes
}

// serial evaluates a graph without any of this.
func serial(nodes []mixNode) [][]byte {
	out := make([][]byte, len(nodes))
	for i, n := range nodes {
		all := bytes.Clone(n.arg)
		for _, j := range n.from {
			all = append(all, out[j]...)
		}
		h := sha256.Sum256(all)
		out[i] = bytes.Repeat(h[:], n.size)
	}
	return out
}

// The same graph gives the same results without a farm, with a farm that has no worker, with one
// worker and with three, wherever each call wants to run; also when most contents are stored.
func TestSameResultsEverywhere(t *testing.T) {
	sizes := []int{0, 1, 40}
	jobs := mixJobs(sizes...)
	sys := start(t)
	o := farm.Options{Jobs: jobs, InlineLimit: 100}
	alone, err := farm.Local(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, alone.Close()) })
	farms := []*farm.Farm{alone}
	for _, workers := range []int{0, 1, 3} {
		f := open(t, o)
		for range workers {
			work(t, f, jobs, farm.WorkOptions{Slots: 2})
		}
		farms = append(farms, f)
	}
	wheres := []farm.Where{farm.Auto, farm.Here, farm.Remote}
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawGraph(t, sizes)
		want := serial(nodes)
		for which, f := range farms {
			results := make([]*farm.Result, len(nodes))
			for i, n := range nodes {
				co := farm.CallOptions{Version: "1"}
				if which != 1 { // nobody would run it
					co.Where = rapid.SampledFrom(wheres).Draw(t, "where")
				}
				co.Priority = rapid.SampledFrom([]farm.Priority{farm.Normal, farm.High, farm.Low}).
					Draw(t, "priority")
				for _, j := range n.from {
					co.From = append(co.From, results[j])
				}
				results[i] = farm.Call(sys, f, n.job, farm.Bytes(n.arg), co)
			}
			for i, r := range results {
				got, err := r.Get(bg)
				require.NoError(t, err)
				same := bytes.Equal(want[i], got)
				require.True(t, same, "farm %d, node %d: %s", which, i, r.Why())
			}
		}
	})
}

// A body that waits for calls gives its worker to others: with one worker, calls nest.
func TestCallsInBodies(t *testing.T) {
	jobs := upper()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	f := open(t, farm.Options{Jobs: jobs})
	work(t, f, jobs, farm.WorkOptions{})
	var got []byte
	e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) (err error) {
		got, err = farm.Call(c, f, "upper", farm.Bytes([]byte("a")), remote).Get(c)
		return err
	})).Launch()
	// The shutdown waits for what is elsewhere.
	require.NoError(t, sys.Shutdown(bg))
	require.NoError(t, e.Err())
	require.Equal(t, "A", string(got))
}
