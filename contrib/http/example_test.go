package heddlehttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	"github.com/heddle-go/heddle/taskgraph"
)

// Two routes, one for people who wait and one for a crowd of machines.
func Example() {
	sys := taskgraph.Start(taskgraph.Options{})
	pool := heddlehttp.NewPool(sys)
	clicks := pool.NewClass(heddlehttp.Options{
		Name: "clicks", Priority: taskgraph.PriorityHigh, Deadline: time.Second})
	batch := pool.NewClass(heddlehttp.Options{
		Name: "batch", Priority: taskgraph.PriorityBackgroundNormal, MaxWaiting: 16})
	mux := http.NewServeMux()
	mux.Handle("/sign", clicks.Handler(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "signed") })))
	mux.Handle("/resize", batch.Handler(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			for range 1000 { // rows
				if err := heddlehttp.Yield(r.Context()); err != nil {
					return // the client has gone
				}
			}
			fmt.Fprintln(w, "resized")
		})))

	server := httptest.NewServer(mux)
	for _, path := range []string{"/resize", "/sign"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		fmt.Print(string(body))
		if err = response.Body.Close(); err != nil {
			fmt.Println(err)
		}
	}
	server.Close() // waits for the requests under way
	if err := sys.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(batch.Stats().Served, clicks.Stats().Served)
	// Output:
	// resized
	// signed
	// 1 1
}
