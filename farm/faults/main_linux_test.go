package faults

import (
	"os"
	"testing"

	"github.com/heddle-go/heddle/farm/internal/proc"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestMain(m *testing.M) {
	proc.Main(map[string]proc.Role{"server": serve, "worker": labour, "client": ask})
	os.Exit(m.Run())
}
