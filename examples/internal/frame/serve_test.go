package frame

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func TestAddress(t *testing.T) {
	for addr, want := range map[string]string{":8123": "127.0.0.1:8123", "[::1]:0": "[::1]:0",
		"0.0.0.0:80": "0.0.0.0:80", "localhost:1": "localhost:1"} {
		got, err := address(addr)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := address("8123")
	require.Error(t, err)
}

// While frames are played the page is there, and it goes with them. They are played until the
// command is interrupted.
func TestServed(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	status := make(chan int, 1)
	var stderr strings.Builder
	go func() {
		p := Program{Name: "frameloop", rough: true}
		status <- p.Run(ctx, []string{"-http", ":0", "-size", "1", "-workers", "2", "-fps", "500"},
			in, &stderr)
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url := regexp.MustCompile(`^http://127\.0\.0\.1:\d+/debug/heddle/`).FindString(line)
	require.NotEmpty(t, url, line)

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(url string) string {
		r, err := client.Get(url)
		require.NoError(t, err)
		defer r.Body.Close()
		require.Equal(t, http.StatusOK, r.StatusCode)
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(text)
	}
	for page := ""; !strings.Contains(page, `"end of frame"`); { // until one has been played
		page = get(url + "trace.json")
	}
	require.True(t, strings.Contains(get(url+"trace.json"), `"input"`), "steps are named")
	require.Contains(t, get(strings.TrimSuffix(url, "debug/heddle/")), "frameloop, split physics")
	interrupt()
	require.Equal(t, cli.Failed, <-status)
	require.Equal(t, "frameloop: interrupted\n", stderr.String())
	_, err = client.Get(url)
	require.Error(t, err)
}

func TestServedFrames(t *testing.T) {
	o := command(t, "-http", "127.0.0.1:0", "-frames", "25", "-size", "1", "-fps", "1000", "-json")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, 25, o.Report.Frames)
	require.Contains(t, o.Stderr, "25 frames, ")
	o = command(t, "-http", "8123")
	require.Equal(t, cli.Failed, o.Status)
	require.Contains(t, o.Stderr, "frameloop: -http: ")
}
