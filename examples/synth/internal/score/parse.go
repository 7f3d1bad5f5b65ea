package score

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads notes as LilyPond writes them: a letter from a to g, with "is" for a sharp and "es"
// for a flat; a ' for each octave above the one below the middle C, or a comma for each below; the
// length, 4 for a quarter of a whole note, the same as before if there is none, and a dot for half
// as much again. An r is a rest.
func Parse(text string) (Line, error) {
	var line Line
	at, length := 0.0, 1.0
	for _, word := range strings.Fields(text) {
		pitch, rest, err := parsePitch(word)
		if err == nil && rest != "" {
			length, err = parseLength(rest)
		}
		if err != nil {
			return nil, fmt.Errorf("note %q: %w", word, err)
		}
		if word[0] != 'r' {
			line = append(line, Note{pitch, at, at + length})
		}
		at += length
	}
	return line, nil
}

// steps are the letters' semitones above c.
var steps = map[byte]int{'c': 0, 'd': 2, 'e': 4, 'f': 5, 'g': 7, 'a': 9, 'b': 11, 'r': 0}

func parsePitch(word string) (pitch int, rest string, err error) {
	step, ok := steps[word[0]]
	if !ok {
		return 0, "", fmt.Errorf("there is no tone %c", word[0])
	}
	pitch, rest = 48+step, word[1:]
	if cut, sharp := strings.CutPrefix(rest, "is"); sharp {
		pitch, rest = pitch+1, cut
	} else if cut, flat := strings.CutPrefix(rest, "es"); flat {
		pitch, rest = pitch-1, cut
	}
	for rest != "" && (rest[0] == '\'' || rest[0] == ',') {
		if rest[0] == '\'' {
			pitch += 12
		} else {
			pitch -= 12
		}
		rest = rest[1:]
	}
	return pitch, rest, nil
}

// parseLength returns quarter notes.
func parseLength(text string) (float64, error) {
	number, dotted := strings.CutSuffix(text, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("there is no length %q", text)
	}
	length := 4 / float64(n)
	if dotted {
		length *= 1.5
	}
	return length, nil
}

// must is Parse for what is written in the source.
func must(text string) Line {
	line, err := Parse(text)
	if err != nil {
		panic("score: " + err.Error())
	}
	return line
}
