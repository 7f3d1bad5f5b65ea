package score

// ground is how long the bass takes for its eight notes, in quarter notes.
const ground = 8

// Canon returns the Canon in D by Johann Pachelbel (1653-1706), shortened: over a bass that repeats
// eight notes, three violins play one melody, each two bars after the one before.
func Canon() *Piece {
	// Four melodies, each as long as the bass takes: quarters, eighths, sixteenths in two rows and
	// thirty-seconds in four.
	melody := must(`
		fis''4 e'' d'' cis'' b' a' b' cis''
		d'8 fis' a' g' fis' d' fis' e'  d' b d' a' g' b' a' g'
		d''16 cis'' d'' d' cis' a' e' fis'  d' d'' cis'' b' cis'' fis'' a'' b''
		g'' fis'' e'' g'' fis'' e'' d'' cis''  b' a' g' fis' e' g' fis' e'
		a''16 fis''32 g'' a''16 fis''32 g'' a'' a' b' cis'' d'' e'' fis'' g''
		fis''16 d''32 e'' fis''16 fis'32 g' a' b' a' g' a' fis' g' a'
		g'16 b'32 a' g'16 fis'32 e' fis' e' d' e' fis' g' a' b'
		g'16 b'32 a' b'16 cis''32 d'' a' b' cis'' d'' e'' fis'' g'' a''
	`)
	const rounds = 4
	end := float64(rounds * ground)
	violin := func(late int, last string) []Line {
		var line Line
		for _, n := range melody.After(float64(late * ground)) {
			if n.Start < end {
				line = append(line, n)
			}
		}
		return []Line{append(line, must(last).After(end)...)}
	}
	// repeated plays eight quarter notes in each round, and then a last one.
	repeated := func(text, last string) Line {
		var line Line
		for round := range rounds {
			line = append(line, must(text).After(float64(round*ground))...)
		}
		return append(line, must(last).After(end)...)
	}
	return &Piece{
		Name: "Pachelbel's canon in D, shortened", Tempo: 80, Loop: 2 * ground, End: end + 2,
		Parts: []Part{
			{Name: "violin 1", Sound: Strings, Pan: -0.6, Lines: violin(0, "d''2")},
			{Name: "violin 2", Sound: Strings, Pan: 0.1, Lines: violin(1, "fis''2")},
			{Name: "violin 3", Sound: Strings, Pan: 0.6, Lines: violin(2, "a'2")},
			{Name: "harpsichord", Sound: Plucked, Pan: -0.2, Lines: []Line{
				repeated("a'4 a' b' a' b' a' b' a'", "a'2"),
				repeated("fis'4 e' fis' fis' g' fis' g' e'", "fis'2"),
				repeated("d'4 cis' d' cis' d' d' d' cis'", "d'2"),
			}},
			{Name: "cello", Sound: Bass, Pan: 0,
				Lines: []Line{repeated("d4 a, b, fis, g, d, g, a,", "d,2")}},
		},
	}
}
