package debug_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/debug"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

func Example() {
	var failures debug.Failures
	recorder := trace.New(trace.Options{})
	sys := taskgraph.Start(taskgraph.Options{Trace: recorder, OnFailure: failures.Add})
	mux := http.NewServeMux()
	mux.Handle("/debug/heddle/", &debug.Handler{
		System: sys, Trace: recorder, Failures: &failures, Name: "the game",
	})

	// A program would listen: http.ListenAndServe("127.0.0.1:8123", mux).
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/heddle/", http.NoBody))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "<h1>the game</h1>"))

	if err := sys.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: 200 true
}
