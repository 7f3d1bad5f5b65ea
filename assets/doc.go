// Package assets loads resources that depend on each other, on a task graph, in the manner of the
// resource managers of game engines.
//
// A [Manager] is asked for resources by their names. Behind it are three parts, each of which may
// be replaced: a [Registry] knows what resources there are, a [Loader] brings one from its name to
// its value, and a [Keeper] says how long one stays that nobody holds. The standard Loader is a
// [Pipeline] of pipes, each of which does one job on one [Item]; package pipes below this one has
// pipes that fetch and decode.
//
// A resource is loaded once however many ask for it, and is ready when everything that it depends
// on, directly or not, is ready or has failed. Resources that depend on each other in a circle
// become ready together. README.md has a picture, the policies and an example; cycles.md and
// holds.md have the rules and proofs.
package assets
