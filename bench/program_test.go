package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every way to run a program leaves the same bits.
func TestProgramsAreBitEqual(t *testing.T) {
	for _, c := range programCases(tinySizes) {
		for _, peer := range programPeers {
			for _, workers := range []int{1, 2, 4} {
				p := c.open()
				with, err := peer.open(p, workers)
				require.NoError(t, err)
				steps := func(run func() error) error {
					for range 5 * programCheck {
						if err := run(); err != nil {
							return err
						}
					}
					return nil
				}
				if with.within != nil {
					err = with.within(steps)
				} else {
					err = steps(with.run)
				}
				require.NoError(t, err)
				require.Equal(t, c.want(5*programCheck), p.sum(), "%s %s, %d workers", c.name,
					peer.runtime, workers)
				if with.close != nil {
					require.NoError(t, with.close())
				}
			}
		}
	}
}

// Each step of a program changes what it keeps, so that one that is lost shows.
func TestProgramsGoOn(t *testing.T) {
	for _, c := range programCases(tinySizes) {
		p, seen := c.open(), map[uint64]bool{}
		for range 8 {
			p.serial()
			require.False(t, seen[p.sum()], c.name)
			seen[p.sum()] = true
		}
	}
}

// A row whose program leaves something else fails.
func TestWrongPrograms(t *testing.T) {
	for _, c := range programCases(tinySizes) {
		forgetful := programPeer{open: func(p *app, _ int) (stepper, error) {
			steps := 0
			return stepper{run: func() error {
				if steps++; steps != 3 {
					p.serial()
				}
				return nil
			}}, nil
		}}
		_, err := c.turn(&session{sizes: tinySizes}, forgetful, 1)
		require.ErrorContains(t, err, "a serial run", c.name)
	}
}

// What the programs compute is what they are called after.
func TestPrograms(t *testing.T) {
	require.Equal(t, int64(823536), fours{}.count(7)) // the known number of positions after 7 moves
	p := perftProgram(6)
	p.serial()
	require.Equal(t, uint64(fours{}.count(6)), p.sum())

	require.Len(t, audioProgram(32).phases[0].tasks, 198)
}

// Programs are in the README.
func TestProgramsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, c := range programCases(tinySizes) {
		require.Contains(t, string(text), "`program-"+c.name+"`")
	}
}
