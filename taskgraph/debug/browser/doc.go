// Package browser opens the page of package debug in a real browser, in its tests.
package browser
