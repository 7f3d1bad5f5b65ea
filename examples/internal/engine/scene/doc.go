// Package scene puts the engine's parts together: a number of plots with people, machines, crates
// and rubble, dolls, fire and smoke, flags, and what is to be heard of them, all made from a
// setting, a seed and a size. A [Setting] says what there is, a file each.
//
// # Four classes
//
// Every object is of one of four classes by what it has to do with the simulation of rigid
// bodies: [Input], [Simulated], [Dependent] or [Unrelated]. [Scene.Classify] states the class
// of each and makes a list for each class. In a frame the inputs come first, then the
// simulation, then the dependents; the unrelated come whenever there is room.
//
// # A frame
//
// A frame is a row of stages, listed as [Scene.Serial] runs them. Stages that take a range may
// be cut in any way and their parts run in any order or at once, with the same bits. Nothing is
// allocated by a frame after set-up. The comment of each stage says what it reads of others;
// stages that read nothing of each other may run at the same time.
//
// Dependents read where bodies are from a table of two halves, one a frame. [Variant] says
// which half: with Lagged it is the last frame's, so that they need not wait for the simulation
// and are late by a frame.
//
// # Animation and simulation
//
// Hands and feet of who walks are inputs: bodies on rails where the frame's pose has the bones.
// Dolls are dependents: their bones are where the frame's simulation has their bodies. So what is
// animated moves what is simulated, and that what is animated, within a frame.
//
// # Life
//
// Objects hold each other by references. What cannot be reached from the roots is dead, and
// goes in the next sweep. New objects are read from prefabs, which are text, and come to life
// between frames.
//
// # Sites
//
// A scene can have sites: places where a [Prop] is while the camera is near. Props come from a
// [Library], which has them from files. A site asks for its prop when the camera comes near, or
// would if it went on as it does, and gives it back when it goes. The prop comes to life at the end
// of the first frame in which the camera is near, but not before so many frames have gone by since
// it was asked for: so the frame does not depend on how long a file takes.
package scene
