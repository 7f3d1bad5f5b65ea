// Package dag finds and draws the longest path of work that has an order.
package dag
