// Package particle moves the particles of emitters: sparks, smoke, water, dust.
//
// A [System] is a structure of arrays: every emitter owns a fixed run of particles, and a
// particle that is over is born again at its emitter. What is random about a birth follows from
// the seed, the particle and the frame, not from any order, so [System.Step] over any cut of
// the particles gives the same bits. Nothing is allocated after set-up.
package particle
