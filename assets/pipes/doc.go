// Package pipes has the pipes of package assets that most programs need: fetchers by scheme and
// decoders by format, each under [Limits], so that whatever a file or a server holds is either
// decoded or refused with an error that says why.
//
// [Standard] returns a plan of them.
package pipes
