package farm_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestFromSmall: a result that is small enough to travel in a message is an input of another job
// all the same, by a worker, here, and where there is no farm.
func TestFromSmall(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	jobs := farm.NewJobs()
	jobs.RegisterBytes("word", "1", func(_ context.Context, in []byte) ([]byte, error) {
		return append(in, '!'), nil
	})
	jobs.Register("all", "1", func(ctx context.Context, in farm.Input, out io.Writer) error {
		for i := range in.Refs() {
			rc, err := in.OpenRef(ctx, i)
			if err != nil {
				return farm.Permanent(err)
			}
			_, err = io.Copy(out, rc)
			if err = errors.Join(err, rc.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	local, err := farm.Local(farm.Options{Jobs: jobs})
	require.NoError(t, err)
	shared, err := farm.Open(ctx, farm.Options{Jobs: jobs})
	require.NoError(t, err)
	work, stop := context.WithCancel(ctx)
	worked := make(chan error, 1)
	go func() { worked <- shared.Work(work, jobs, farm.WorkOptions{}) }()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	for _, c := range []struct {
		name  string
		f     *farm.Farm
		where farm.Where
	}{
		{"worker", shared, farm.Remote}, {"here", shared, farm.Here}, {"no farm", local, farm.Auto},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := farm.CallOptions{Where: c.where}
			var from []*farm.Result
			for _, word := range []string{"warp", "weft"} {
				from = append(from, farm.Call(sys, c.f, "word", farm.Bytes([]byte(c.name+word)), o))
			}
			o.From = from
			got, err := farm.Call(sys, c.f, "all", farm.Bytes(nil), o).Get(ctx)
			require.NoError(t, err)
			require.Equal(t, c.name+"warp!"+c.name+"weft!", string(got))
		})
	}
	stop()
	require.NoError(t, <-worked)
	require.NoError(t, shared.Close())
	require.NoError(t, local.Close())
	require.NoError(t, sys.Shutdown(ctx))
}
