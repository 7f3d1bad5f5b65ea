// Package ebiten tests the command of this module, cmd/boids, on a display of its own. Ebitengine
// looks for a display as soon as a program starts, so no test can import it.
package ebiten
