// Package remote has the encoders of package encode run as jobs of a farm. Results are kept by the
// farm under the encoder, its version and parameters, and the source: whoever builds the same tree
// later, on this machine or another, takes them from there.
package remote
