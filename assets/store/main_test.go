package store_test

import (
	"os"
	"testing"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir)
	}
	watch.Main(m)
}
