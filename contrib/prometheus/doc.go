// Package prometheus gives what a taskgraph.System counts to Prometheus.
package prometheus
