package door_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/door"
)

// A door that is closed while another one enters lets in as many as it counts, and nobody after
// that.
func TestDoorClosesWhileOthersEnter(t *testing.T) {
	for range 300 {
		var d door.Door
		d.Init(park.New(park.Go))
		begun, let := make(chan struct{}), make(chan int64)
		go func() {
			n := int64(0)
			close(begun)
			for n < 100_000 && d.Enter(0) {
				n++
			}
			let <- n
		}()
		<-begun
		require.True(t, d.Close())
		require.Equal(t, <-let, d.Live())
		require.False(t, d.Enter(0))
		require.True(t, d.IsClosed())
		require.False(t, d.Close(), "it is closed already")
	}
}
