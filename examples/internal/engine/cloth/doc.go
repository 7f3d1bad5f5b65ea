// Package cloth moves patches of cloth that hang from pins, in the wind, above the ground and
// around a sphere each.
//
// A patch is a grid of points held at their distances by constraints. [Set.Step] works on one
// patch, which is sequential by nature: each constraint sees what the one before it did. So
// patches are the grain of parallel work, and any order of patches gives the same bits. Nothing
// is allocated after set-up.
package cloth
