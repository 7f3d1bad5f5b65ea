// Package crew has the state of a loop that several run: who is at work, whose memory it is, and
// which units are taken.
package crew
