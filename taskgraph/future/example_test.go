package future_test

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/future"
)

func ExampleGo() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	words := future.Go(sys, func(*taskgraph.Context) ([]string, error) {
		return []string{"warp", "weft", "heddle"}, nil
	})
	longest := future.Go(sys, func(c *taskgraph.Context) (string, error) {
		ws, err := words.Get(c)
		if err != nil {
			return "", err
		}
		best := ""
		for _, w := range ws {
			if len(w) > len(best) {
				best = w
			}
		}
		return best, nil
	})
	fmt.Println(longest.Get(ctx))
	// Output: heddle <nil>
}
