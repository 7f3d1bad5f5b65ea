// Package sites knows where in a program tasks and events were made.
package sites
