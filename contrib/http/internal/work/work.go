// Package work has what the handlers of the load test compute: a signature, a page and a picture.
package work

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"html/template"
	"image"
	"image/color"
	"image/jpeg"
)

// A Signer signs messages with a key of its own.
type Signer struct{ key *rsa.PrivateKey }

// NewSigner makes the key, of 2,048 bits.
func NewSigner() (*Signer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	return &Signer{key}, err
}

// Sign returns the signature of a message.
func (s *Signer) Sign(message []byte) ([]byte, error) {
	digest := sha256.Sum256(message)
	return rsa.SignPSS(rand.Reader, s.key, crypto.SHA256, digest[:], nil)
}

// Verify says whether a signature is one of a message.
func (s *Signer) Verify(message, signature []byte) error {
	digest := sha256.Sum256(message)
	return rsa.VerifyPSS(&s.key.PublicKey, crypto.SHA256, digest[:], signature, nil)
}

var page = template.Must(template.New("page").Parse(
	`<table>{{range .}}<tr><td>{{.}}</td><td title="{{.}}">{{printf "%08d" .}}</td></tr>{{end}}</table>`))

// Page returns a page of HTML with a table of n rows.
func Page(n int) ([]byte, error) {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	var b bytes.Buffer
	err := page.Execute(&b, rows)
	return b.Bytes(), err
}

// Picture returns a picture of so many pixels with soft colours.
func Picture(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y >> 8), 255})
		}
	}
	return m
}

// Resize returns a picture whose sides are a quarter of those of m, each pixel the mean of those it
// stands for. It calls row after each row, and ends when that fails.
func Resize(m *image.RGBA, row func() error) (*image.RGBA, error) {
	const by = 4
	small := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx()/by, m.Bounds().Dy()/by))
	for y := range small.Bounds().Dy() {
		for x := range small.Bounds().Dx() {
			var sum [4]int
			for dy := range by {
				for dx := range by {
					at := m.PixOffset(x*by+dx, y*by+dy)
					for i := range sum {
						sum[i] += int(m.Pix[at+i])
					}
				}
			}
			at := small.PixOffset(x, y)
			for i := range sum {
				small.Pix[at+i] = uint8(sum[i] / (by * by))
			}
		}
		if err := row(); err != nil {
			return nil, err
		}
	}
	return small, nil
}

// Encode returns a picture as JPEG.
func Encode(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, m, nil)
	return b.Bytes(), err
}
