package work

import "testing"

func BenchmarkSign(b *testing.B) {
	s, err := NewSigner()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Sign([]byte("message")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	for b.Loop() {
		if _, err := Page(1000); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResize(b *testing.B) {
	m := Picture(3000, 2000)
	for b.Loop() {
		if _, err := Resize(m, func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
