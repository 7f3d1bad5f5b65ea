// Package rigid moves rigid boxes and balls that fall, collide, stack, slide and hang together.
//
// A [World] is a structure of arrays, body 0 the ground. A step is a row of stages, each a
// method: those with a range (lo, hi) may be cut into any ranges that run in any order or at
// once, with the same bits; those without are sequential by nature. A stage begins when the
// one before has ended:
//
//	Prepare(lo, hi)  bodies    bounds and inertia
//	Sort()                     bodies by their left end
//	Pairs(lo, hi)    sorted    whose bounds overlap
//	Gather()                   pairs in one order, with their impulses of the last step
//	Collide(lo, hi)  pairs     contacts
//	Link()                     islands: bodies that touch or are joined, directly or not
//	Solve(lo, hi)    islands   velocities, positions
//	Finish(lo, hi)   bodies    those on rails
//
// [World.Step] is all of it in a row. Islands share nothing that moves by forces, so each is
// solved for itself; one after the other within an island, since each contact sees what the one
// before it did. Nothing is allocated after set-up.
package rigid
