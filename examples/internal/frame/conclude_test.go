package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConclusion(t *testing.T) {
	const (
		head = "Heddle takes 10.00 ms for a frame (the median of 120 frames), with 2 workers on " +
			"2 processors."
		same = "All three computed the same state and the same picture, bit for bit."
	)
	run := func(serial, goroutines int, orders ...timed) conclusion {
		return conclusion{frames: 120, workers: 2, processors: 2, equal: true, orders: orders,
			heddle: 10 * time.Millisecond, serial: time.Duration(serial) * time.Millisecond,
			goroutines: time.Duration(goroutines) * time.Millisecond}
	}
	require.Equal(t, []string{head, "It was 2.00 times as fast as one thread.",
		"It was 1.20 times as fast as plain goroutines.", same}, run(20, 12).lines())
	require.Equal(t, []string{head, "It was 1.50 times as fast as one thread.",
		"It was level with plain goroutines (1.00 times as fast).", same}, run(15, 10).lines())
	require.Equal(t, []string{head, "It was 1.50 times as fast as one thread.",
		"It was slower than plain goroutines: it took 1.25 times as long.", same},
		run(15, 8).lines())
	require.Equal(t, []string{head,
		"It was slower than one thread: it took 1.25 times as long.",
		"It was 1.20 times as fast as plain goroutines.",
		"Also slower than one thread: plain goroutines, the order barriers.", same},
		run(8, 12, timed{"lagged", 8 * time.Millisecond},
			timed{"barriers", 9 * time.Millisecond}).lines())
	require.Equal(t, "Slower than one thread: the order lagged.",
		run(12, 12, timed{"lagged", 13 * time.Millisecond}).lines()[3])

	require.Equal(t, "It was 2.10 times as fast as one thread. More than 2 on 2 processors is not "+
		"Heddle's doing: it comes\nfrom other programs on the machine, or from the caches of more "+
		"processors.", run(21, 12).lines()[1])

	c := run(20, 12)
	c.serialP95 = 40 * time.Millisecond
	require.Len(t, c.lines(), 4)
	c.serialP95++
	require.Equal(t, "The machine was busy: one frame in 20 took one thread over 40.00 ms instead "+
		"of 20.00.\nRun it again when the machine is quiet.", c.lines()[3])

	c = run(10, 10)
	c.frames, c.workers, c.processors, c.equal = 1, 1, 1, false
	lines := c.lines()
	require.Equal(t, "Heddle takes 10.00 ms for a frame (the median of 1 frame), with 1 worker on "+
		"1 processor.", lines[0])
	require.Equal(t, "They did NOT compute the same: see the row digests.", lines[3])
}
