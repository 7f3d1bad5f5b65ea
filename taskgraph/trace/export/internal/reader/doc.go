// Package reader has a test that reads what export.Perfetto writes with the official library of
// protocol buffers. It is a module of its own so that nobody else downloads that.
package reader
