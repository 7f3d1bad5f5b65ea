package seed

import (
	crand "crypto/rand"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // defines its flags before init sets them
)

// variable is the environment variable that asks for exploration.
const variable = "HEDDLE_SEED"

// usual is the seed if nothing else is asked for.
const usual = 1

// number is the seed of this process: 1, unless HEDDLE_SEED asks for another.
var number uint64 = usual

// The flags of rapid are set before they are parsed, so that those of the command line win.
func init() {
	text, err := choose(os.Getenv(variable))
	if err != nil {
		panic(err)
	}
	if text != "" {
		fmt.Fprintln(os.Stderr, text)
		// The processes that a test starts draw from the same seed, and print nothing.
		if err := os.Setenv(variable, strconv.FormatUint(number, 10)); err != nil {
			panic(err)
		}
	}
	if _, ok := os.LookupEnv("RAPID_SEED"); !ok {
		set("rapid.seed", strconv.FormatUint(number, 10))
	}
	if _, ok := os.LookupEnv("RAPID_NOFAILFILE"); !ok {
		set("rapid.nofailfile", "true")
	}
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

// choose sets number to what the value of the variable asks for, and returns the line to print, if
// any.
func choose(value string) (line string, err error) {
	switch value {
	case "":
		number = usual
	case "random":
		var b [4]byte
		if _, err := crand.Read(b[:]); err != nil {
			return "", err
		}
		number = 1 + uint64(binary.NativeEndian.Uint32(b[:]))
		return fmt.Sprintf("to draw the same numbers again: %s=%d", variable, number), nil
	default:
		n, err := strconv.ParseUint(value, 0, 64)
		if err != nil || n == 0 { // 0 asks rapid for a random seed
			return "", fmt.Errorf("%s is %q; it must be random or a number from 1 to 1<<64-1",
				variable, value)
		}
		number = n
	}
	return "", nil
}

// Rand returns the nth source of random numbers of a test. It depends on nothing but the seed
// of the process, the test's name and n. So goroutines that each take a source draw the same
// numbers in whatever order they run. If the test fails, its log names the seed.
func Rand(t testing.TB, n int) *rand.Rand {
	t.Helper()
	if n == 0 {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the test drew from %s=%d", variable, number)
			}
		})
	}
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(number, h.Sum64()+uint64(n)))
}
