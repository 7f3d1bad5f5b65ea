package parallel

import "github.com/heddle-go/heddle/taskgraph"

// Map sets dst[i] to f(src[i]) for each i. It panics if dst is shorter than src. Dst may be src.
func Map[T, U any](on Launcher, dst []U, src []T, f func(T) U) error {
	if len(dst) < len(src) {
		panic("parallel: Map into a slice that is too short")
	}
	return on.RunLoop(taskgraph.Loop{N: len(src), Site: f,
		Body: func(_ *taskgraph.Participant, lo, hi int) error {
			to := dst[lo:hi]
			for i, v := range src[lo:hi] {
				to[i] = f(v)
			}
			return nil
		}})
}
