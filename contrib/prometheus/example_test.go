package prometheus_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/heddle-go/heddle/contrib/prometheus"
	"github.com/heddle-go/heddle/taskgraph"
	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func Example() {
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	reg := client.NewRegistry()
	reg.MustRegister(prometheus.NewCollector(sys, "main"))
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))

	if err := sys.WaitUntilTasksComplete(context.Background(), sys.Go(func() {})); err != nil {
		fmt.Println(err)
	}
	if err := sys.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}

	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest("GET", "/metrics", http.NoBody))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "heddle_tasks_incomplete") {
			fmt.Print(line)
		}
	}
	// Output:
	// heddle_tasks_incomplete{system="main"} 0
}
