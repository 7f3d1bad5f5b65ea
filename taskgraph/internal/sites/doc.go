// Package sites knows where in a program tasks and events were made, and what was noted of them.
package sites
