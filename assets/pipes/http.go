package pipes

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// HTTPOptions configure an HTTP. The zero value is usable.
type HTTPOptions struct {
	// Cache, if not nil, keeps what has an ETag. It is asked for again by that, also at the next
	// start of the program, and not sent again if it is the same.
	Cache *store.Cache
	// Redirects is how many are followed; default 5, negative: none. None leads to anything but
	// http and https, or from https to http.
	Redirects int
	// HeaderBytes is how long the header of an answer may be; default 64 KiB.
	HeaderBytes int64
	// Resumes is how often a body that breaks off is asked for from there, if the server says what
	// it is by a strong ETag; default 3, negative: never.
	Resumes int
	// Stall is for how long nothing may come; default 30 s.
	Stall time.Duration
	// MaxRetryAfter is the longest time for which a server may put off the next attempt; default
	// one minute.
	MaxRetryAfter time.Duration
	// TLS, if not nil, is for https.
	TLS *tls.Config
}

// An HTTP fetches by http and https. A name is a whole URL.
type HTTP struct {
	o      HTTPOptions
	client *http.Client
}

// NewHTTP returns an HTTP. It should be closed.
func NewHTTP(o HTTPOptions) *HTTP {
	o.Redirects = cmp.Or(o.Redirects, 5)
	o.HeaderBytes = cmp.Or(o.HeaderBytes, 64<<10)
	o.Resumes = cmp.Or(o.Resumes, 3)
	o.Stall = cmp.Or(o.Stall, 30*time.Second)
	o.MaxRetryAfter = cmp.Or(o.MaxRetryAfter, time.Minute)
	h := &HTTP{o: o}
	h.client = &http.Client{
		CheckRedirect: h.redirect,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSClientConfig: o.TLS,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
			MaxResponseHeaderBytes: o.HeaderBytes,
			DisableCompression:     true, // ranges are of the bytes that are sent
		},
	}
	return h
}

// Close closes the connections that nobody uses.
func (h *HTTP) Close() error {
	h.client.CloseIdleConnections()
	return nil
}

// redirect says where a redirect may lead.
func (h *HTTP) redirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL.Scheme, req.URL.Scheme
	switch {
	case len(via) > h.o.Redirects:
		return over("redirects", int64(len(via)), int64(max(h.o.Redirects, 0)))
	case to != "https" && (to != "http" || from == "https"):
		return fmt.Errorf("%w: a redirect from %s to %.100q", ErrPath, from, req.URL)
	}
	return nil
}

// errStalled is the cause of the end of a context.
var errStalled = errors.New("pipes: nothing came for too long")

// A body is what has come of an answer.
type body struct {
	url, etag string
	data      []byte
	most      int64
	cached    *known
}

// known is an answer of the cache.
type known struct {
	etag string
	data []byte
}

// Fetch implements Fetcher.
func (h *HTTP) Fetch(ctx context.Context, name string, most int64) ([]byte, error) {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%w: %.100q is no URL of http", ErrPath, name)
	}
	b := &body{url: name, most: most, cached: h.known(name, most)}
	for resumes := 0; ; resumes++ {
		whole, err := h.get(ctx, b)
		switch {
		case whole:
			return b.data, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case final(err):
			return nil, err
		case len(b.data) == 0 || b.etag == "" || resumes >= h.o.Resumes:
			var r *assets.RetryError
			if errors.As(err, &r) {
				return nil, err
			}
			return nil, assets.Retry(err, 0)
		}
	}
}

// final reports whether a failure will be the same again.
func final(err error) bool {
	for _, e := range []error{ErrLimit, ErrPath, ErrFormat, fs.ErrNotExist, errStatus} {
		if errors.Is(err, e) {
			var r *assets.RetryError
			return !errors.As(err, &r)
		}
	}
	return false
}

var errStatus = errors.New("pipes: the server refuses")

// get sends one request, for all or for what is missing, and reads the answer. It reports whether
// the body is whole.
func (h *HTTP) get(ctx context.Context, b *body) (whole bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer func() {
		// HTTP/2 says that the context was canceled, and not why.
		if errors.Is(err, context.Canceled) && context.Cause(ctx) == errStalled {
			err = fmt.Errorf("%w: %s", errStalled, b.url)
		}
	}()
	stall := time.AfterFunc(h.o.Stall, func() { cancel(errStalled) })
	defer stall.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url, nil)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrPath, err)
	}
	from := int64(len(b.data))
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
		req.Header.Set("If-Range", b.etag)
	} else if b.cached != nil {
		req.Header.Set("If-None-Match", b.cached.etag)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		// net/http has no error to compare with.
		if strings.Contains(err.Error(), "headers exceeded") {
			err = fmt.Errorf("%w: %w", ErrLimit, err)
		}
		return false, fmt.Errorf("pipes: %w", err)
	}
	defer resp.Body.Close()

	switch resp.StatusCode {
	case http.StatusOK:
		b.data = nil
	case http.StatusPartialContent:
		at, ok := rangeStart(resp.Header.Get("Content-Range"))
		if from == 0 || !ok || at != from || resp.Header.Get("ETag") != b.etag {
			b.data, b.etag = nil, ""
			return false, fmt.Errorf("pipes: %s: a part that nobody asked for: %.100q", b.url,
				resp.Header.Get("Content-Range"))
		}
	case http.StatusNotModified:
		if b.cached == nil || from > 0 {
			return false, fmt.Errorf("%w: %s: %s, which was not asked", errStatus, b.url,
				resp.Status)
		}
		b.data = b.cached.data
		return true, nil
	default:
		return false, h.refused(b.url, resp)
	}
	if c := resp.Header.Get("Content-Encoding"); c != "" && c != "identity" {
		return false, fmt.Errorf("%w: %s: encoding %.40q, which nobody asked for", ErrFormat,
			b.url, c)
	}
	from = int64(len(b.data))
	if n := resp.ContentLength; n > b.most-from {
		return false, over("bytes of "+b.url, n, b.most)
	}
	b.etag = resp.Header.Get("ETag")
	strong := strings.HasPrefix(b.etag, `"`)
	if b.data == nil {
		b.data = make([]byte, 0, min(max(resp.ContentLength, 0)+1, chunk))
	}
	b.data, err = readMore(ctx, b.url, b.data, &live{resp.Body, stall, h.o.Stall}, b.most)
	if err != nil {
		if !strong || resp.Header.Get("Accept-Ranges") == "none" {
			b.etag = ""
		}
		return false, err
	}
	h.keep(b, resp.Header)
	return true, nil
}

// A live reader puts off the alarm when something comes.
type live struct {
	r     io.Reader
	alarm *time.Timer
	after time.Duration
}

func (l *live) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.alarm.Reset(l.after)
	}
	return n, err
}

// refused returns the error of a status.
func (h *HTTP) refused(url string, resp *http.Response) error {
	err := fmt.Errorf("%w: %s: %s", errStatus, url, resp.Status)
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return assets.Retry(err, min(retryAfter(resp.Header.Get("Retry-After"), time.Now()),
			h.o.MaxRetryAfter))
	}
	return err
}

// retryAfter returns how long a server wants to be left alone: its header has seconds or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(header, 10, 64); err == nil {
		return time.Duration(min(n, math.MaxInt64/uint64(time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// rangeStart returns where a part begins, by a header such as "bytes 200-999/1000".
func rangeStart(header string) (int64, bool) {
	header, ok := strings.CutPrefix(header, "bytes ")
	start, _, isRange := strings.Cut(header, "-")
	n, err := strconv.ParseUint(start, 10, 63)
	return int64(n), ok && isRange && err == nil
}

func cacheKey(url string) store.Key { return store.KeyOf("http", url) }

// known returns the answer to a URL that the cache has, or nil.
func (h *HTTP) known(url string, most int64) *known {
	if h.o.Cache == nil {
		return nil
	}
	at, err := h.o.Cache.Lookup(cacheKey(url))
	if err != nil {
		return nil
	}
	blob, err := h.o.Cache.Get(at)
	if err != nil {
		return nil
	}
	n, used := binary.Uvarint(blob)
	if used <= 0 || n > uint64(len(blob)-used) {
		return nil
	}
	k := &known{etag: string(blob[used : used+int(n)]), data: blob[used+int(n):]}
	if int64(len(k.data)) > most {
		return nil
	}
	return k
}

// keep puts an answer into the cache. A cache that cannot be written costs time, and no more.
func (h *HTTP) keep(b *body, header http.Header) {
	etag := header.Get("ETag")
	if h.o.Cache == nil || etag == "" || strings.Contains(header.Get("Cache-Control"), "no-store") {
		return
	}
	blob := binary.AppendUvarint(make([]byte, 0, len(b.data)+len(etag)+9), uint64(len(etag)))
	blob = append(append(blob, etag...), b.data...)
	if at, err := h.o.Cache.Put(blob); err == nil {
		_ = h.o.Cache.Set(cacheKey(b.url), at)
	}
}
