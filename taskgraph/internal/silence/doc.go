// Package silence says when bodies are taken to block unseen: while work is queued, and no slot
// that may take it gives a sign of life, a monitor gathers evidence at each of its ticks.
package silence
