// Package score holds what is played: lines of notes, written as LilyPond writes them, and a piece
// made of such lines.
package score
