package prometheus_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/contrib/prometheus"
	"github.com/heddle-go/heddle/taskgraph"
	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

func start(t *testing.T) *taskgraph.System {
	t.Helper()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
	return sys
}

// names returns what a registry with collectors exports, sorted.
func names(t *testing.T, reg *client.Registry) []string {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	var list []string
	for _, f := range families {
		list = append(list, f.GetName())
	}
	slices.Sort(list)
	return list
}

// read returns the metrics of a page that Prometheus would read.
func read(t *testing.T, page string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	require.NoError(t, err)
	values := make(map[string]float64)
	for name, f := range families {
		for _, m := range f.GetMetric() {
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue()
			key := name
			for _, l := range m.GetLabel() {
				key += " " + l.GetName() + "=" + l.GetValue()
			}
			values[key] = v
		}
	}
	return values
}

func TestScrape(t *testing.T) {
	t.Parallel()
	const tasks = 1000
	sys, reg := start(t), client.NewRegistry()
	reg.MustRegister(prometheus.NewCollector(sys, "a \"quoted\" name"))
	events := make([]taskgraph.Event, tasks)
	for i := range events {
		events[i] = sys.Go(func() {})
	}
	require.NoError(t, sys.WaitUntilTasksComplete(t.Context(), events...))
	require.NoError(t, sys.Shutdown(t.Context()))

	server := httptest.NewServer(promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	values := read(t, string(page))
	const system = ` system=a "quoted" name`
	require.Equal(t, float64(tasks), values["heddle_tasks_completed_total"+system])
	require.Zero(t, values["heddle_tasks_incomplete"+system])
	bodies := 0.0
	for key, v := range values {
		if strings.HasPrefix(key, "heddle_bodies_total ") {
			bodies += v
		}
	}
	require.Equal(t, float64(tasks), bodies)
}

func TestNamesAreConventional(t *testing.T) {
	t.Parallel()
	problems, err := testutil.CollectAndLint(prometheus.NewCollector(start(t), "x"))
	require.NoError(t, err)
	require.Empty(t, problems)
}

// TestSystemsSideBySide registers two systems, and reads them while one of them is busy.
func TestSystemsSideBySide(t *testing.T) {
	t.Parallel()
	reg, sys := client.NewPedanticRegistry(), start(t)
	reg.MustRegister(prometheus.NewCollector(sys, "one"), prometheus.NewCollector(start(t), "two"))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			last := -1.0
			for range 50 {
				families, err := reg.Gather()
				if err != nil {
					t.Error(err)
					return
				}
				for _, f := range families {
					if f.GetName() != "heddle_tasks_completed_total" {
						continue
					}
					for _, m := range f.GetMetric() {
						if m.GetLabel()[0].GetValue() == "one" {
							v := m.GetCounter().GetValue()
							if v < last {
								t.Errorf("a counter went from %v to %v", last, v)
							}
							last = v
						}
					}
				}
			}
		})
	}
	for range 2000 {
		require.NoError(t, sys.WaitUntilTasksComplete(t.Context(), sys.Go(func() {})))
	}
	wg.Wait()
}

func TestNilSystem(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "prometheus: NewCollector of a nil System",
		func() { prometheus.NewCollector(nil, "x") })
}

var metric = regexp.MustCompile(`heddle_[a-z_]+`)

// TestDashboard finds in each panel an expression of exported metrics, and each metric somewhere.
func TestDashboard(t *testing.T) {
	t.Parallel()
	reg := client.NewRegistry()
	reg.MustRegister(prometheus.NewCollector(start(t), "x"))
	exported := names(t, reg)

	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var board struct {
		Title  string
		Panels []struct {
			Title, Description, Type string
			Targets                  []struct{ Expr string }
			GridPos                  struct{ X, Y, W, H int }
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	require.NotEmpty(t, board.Title)
	var shown []string
	for i, p := range board.Panels {
		require.NotEmpty(t, p.Title)
		require.NotEmpty(t, p.Description, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			require.Contains(t, target.Expr, `system=~"$system"`, p.Title)
			shown = append(shown, metric.FindAllString(target.Expr, -1)...)
		}
		for _, q := range board.Panels[:i] {
			a, b := p.GridPos, q.GridPos
			require.False(t, a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H,
				"%s lies on %s", p.Title, q.Title)
		}
	}
	slices.Sort(shown)
	require.Equal(t, exported, slices.Compact(shown))
}

// TestTable compares the table of the README with what is exported.
func TestTable(t *testing.T) {
	t.Parallel()
	reg := client.NewRegistry()
	reg.MustRegister(prometheus.NewCollector(start(t), "x"))
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var listed []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| heddle_") {
			listed = append(listed, metric.FindString(line))
		}
	}
	slices.Sort(listed)
	require.Equal(t, names(t, reg), listed)
}
