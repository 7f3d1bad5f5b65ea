package work

import (
	"bytes"
	"errors"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestSign(t *testing.T) {
	s, err := NewSigner()
	require.NoError(t, err)
	signature, err := s.Sign([]byte("message"))
	require.NoError(t, err)
	require.NoError(t, s.Verify([]byte("message"), signature))
	require.Error(t, s.Verify([]byte("another"), signature))
}

func TestPage(t *testing.T) {
	text, err := Page(3)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "<tr>"))
	require.Contains(t, string(text), `<td title="2">00000002</td>`)
}

func TestResize(t *testing.T) {
	m, rows := Picture(64, 32), 0
	small, err := Resize(m, func() error { rows++; return nil })
	require.NoError(t, err)
	require.Equal(t, 8, rows)
	require.Equal(t, 16, small.Bounds().Dx())
	require.Equal(t, color.RGBA{5, 1, 0, 255}, small.RGBAAt(1, 0)) // means of 4..7, 0..3, 0
	text, err := Encode(small)
	require.NoError(t, err)
	again, err := jpeg.Decode(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, small.Bounds(), again.Bounds())

	stop := errors.New("stop")
	_, err = Resize(m, func() error { return stop })
	require.Equal(t, stop, err)
}
