package store_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir)
	}
	goleak.VerifyTestMain(m)
}
