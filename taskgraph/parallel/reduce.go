package parallel

import "github.com/heddle-go/heddle/taskgraph"

// Reduce folds s: it cuts s into pieces, folds each piece in its order, beginning with id, and
// joins the results in the order of the pieces, beginning with id. If join is associative, id
// changes nothing and fold(a, v) is join(a, fold(id, v)), the result is that of one fold over s;
// the operation need not be commutative. It is id for an empty slice.
//
// Where the pieces end depends on len(s) and on the Grain of [With] alone. So the same input yields
// the same result in every run and with any number of workers, bit by bit, sums of floating-point
// numbers included. Fold may change and return what it was given, but id is the first argument for
// every piece, and must not be changed.
//
// It allocates the results of the pieces, some 64 in general.
func Reduce[T, A any](on Launcher, s []T, id A, fold func(A, T) A, join func(A, A) A) (A, error) {
	if len(s) == 0 {
		return id, nil
	}
	size := pieceSize(on, len(s))
	parts := make([]A, (len(s)-1)/size+1)
	err := on.RunLoop(taskgraph.Loop{N: len(s), Grain: size, Site: fold,
		Body: func(_ *taskgraph.Participant, lo, hi int) error {
			a := id
			for _, v := range s[lo:hi] {
				a = fold(a, v)
			}
			parts[lo/size] = a
			return nil
		}})
	if err != nil {
		return id, err
	}
	err = on.RunLoop(taskgraph.Loop{N: 1, Serial: true, Site: join,
		Body: func(*taskgraph.Participant, int, int) error {
			for _, a := range parts {
				id = join(id, a)
			}
			return nil
		}})
	return id, err
}

// pieceSize returns how long the pieces are into which n elements are cut, when that must not
// depend on who takes part: long enough to cost little, and enough of them for many participants.
func pieceSize(on Launcher, n int) int {
	if g := grain(on); g > 0 {
		return min(g, n)
	}
	up := func(by int) int { return (n-1)/by + 1 }
	return min(max(up(64), min(64, up(8))), max(16384, up(1024)))
}
