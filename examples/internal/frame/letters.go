package frame

import (
	"image"
	"image/color"
	"unicode"
)

// letters are drawn on three columns and five rows: an octal digit a row, from above.
var letters = map[rune]uint16{
	'A': 0o25755, 'B': 0o65656, 'C': 0o34443, 'D': 0o65556, 'E': 0o74647, 'F': 0o74644,
	'G': 0o34553, 'H': 0o55755, 'I': 0o72227,
	'J': 0o11152, 'K': 0o55655, 'L': 0o44447, 'M': 0o57755, 'N': 0o65555, 'O': 0o25552,
	'P': 0o65644, 'Q': 0o25563, 'R': 0o65655,
	'S': 0o34216, 'T': 0o72222, 'U': 0o55557, 'V': 0o55552, 'W': 0o55775, 'X': 0o55255,
	'Y': 0o55222, 'Z': 0o71247,
	'0': 0o75557, '1': 0o26227, '2': 0o71747, '3': 0o71717, '4': 0o55711, '5': 0o74717,
	'6': 0o74757, '7': 0o71111, '8': 0o75757,
	'9': 0o75717, '.': 0o00002, ',': 0o00024, ':': 0o02020, ';': 0o02024, '-': 0o00700,
}

// letterDot is the width and height of a letter's dots.
const letterDot = 3

// write draws a line of text, from its upper left corner. What there is no letter for stays empty.
func write(m *image.RGBA, x, y int, c color.RGBA, text string) {
	for _, r := range text {
		rows := letters[unicode.ToUpper(r)]
		for k := range 15 {
			if rows&(1<<(14-k)) != 0 {
				at := image.Pt(x+k%3*letterDot, y+k/3*letterDot)
				fill(m, image.Rectangle{at, at.Add(image.Pt(letterDot, letterDot))}, c)
			}
		}
		x += 4 * letterDot
	}
}
