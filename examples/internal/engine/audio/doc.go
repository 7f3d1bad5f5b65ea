// Package audio mixes voices into blocks of stereo sound at 48 kHz, one block a frame.
//
// What a frame wants to be heard is a [Score]: a plain list of what each voice does, so that
// the thread that mixes can work on one frame's while the next one's is written. [Mixer.Voices]
// and [Mixer.Mix] take ranges that may be cut in any way and run in any order, with the same
// bits. Blocks must be mixed in their order, since a voice goes on where it was. Nothing is
// allocated after set-up.
package audio
