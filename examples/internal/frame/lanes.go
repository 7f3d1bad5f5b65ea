package frame

import "io"

func drawLanes(io.Writer, *contestant) error { return nil }
