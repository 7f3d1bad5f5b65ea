package draw

import (
	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Splats sets the splats lo to hi-1 to the particles of the same numbers. A particle that is
// not to be seen becomes a splat that adds nothing. Whether one is in the picture the
// rasteriser sees by itself.
func Splats(dst []raster.Splat, s *particle.System, lo, hi int) {
	for p := lo; p < hi; p++ {
		size, color, cover := s.Look(p)
		dst[p] = raster.Splat{Pos: s.Pos[p], Radius: size / 2}
		switch {
		case cover <= 0:
			dst[p].Radius = 0
		case s.Emitters[p/s.PerEmitter].Glow:
			dst[p].Emit = color.Scale(cover)
		default:
			dst[p].Color, dst[p].Alpha = color, vec.Clamp(cover*smoke, 0, 1)
		}
	}
}

// smoke is how much one particle covers at most: a cloud is many.
const smoke = 0.22
