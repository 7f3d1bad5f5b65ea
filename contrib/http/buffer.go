package heddlehttp

import (
	"bytes"
	"maps"
	"net/http"
)

// A buffer keeps an answer until the handler has returned.
type buffer struct {
	w      http.ResponseWriter
	header http.Header // that of w until WriteHeader, then a copy, which is what is sent
	code   int         // 0: not said yet
	body   bytes.Buffer
}

func (b *buffer) Header() http.Header { return b.w.Header() }

// WriteHeader keeps the first code, and passes on those that only inform.
func (b *buffer) WriteHeader(code int) {
	switch {
	case b.code != 0:
	case code >= 100 && code < 200 && code != http.StatusSwitchingProtocols:
		b.w.WriteHeader(code)
	default:
		b.code, b.header = code, b.w.Header().Clone()
	}
}

func (b *buffer) Write(p []byte) (int, error) {
	if b.code == 0 {
		b.WriteHeader(http.StatusOK)
	}
	return b.body.Write(p)
}

// send sends the answer. That the client is gone is nobody's concern any more.
func (b *buffer) send() {
	if b.code == 0 {
		return // as a handler that writes nothing
	}
	clear(b.w.Header())
	maps.Copy(b.w.Header(), b.header)
	b.w.WriteHeader(b.code)
	_, _ = b.w.Write(b.body.Bytes())
}
