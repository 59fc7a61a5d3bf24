package endpoint

import (
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// requestLog stands at the bottom and logs each request, once its answer was read or given up: where
// it went, how large both were, how it ended and how long it took. Bodies, headers and what stands
// behind a ? are not logged: notes and keys are in them.
type requestLog struct {
	base  http.RoundTripper
	log   *slog.Logger
	model string
}

func (l *requestLog) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := l.base.RoundTrip(req)
	log := l.log.With("method", req.Method, "host", req.URL.Host, "path", req.URL.Path, "model", l.model, "sent", max(req.ContentLength, 0))
	if err != nil {
		log.Debug("request failed", "duration", time.Since(began).String(), "error", err.Error())
		return resp, err
	}
	resp.Body = &measured{ReadCloser: resp.Body, done: func(received int64) {
		log.Debug("request", "status", resp.StatusCode, "received", received, "duration", time.Since(began).String())
	}}
	return resp, nil
}

// measured is a body that says how much was read of it when it is closed.
type measured struct {
	io.ReadCloser
	read int64
	once sync.Once
	done func(read int64)
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.read += int64(n)
	return n, err
}

func (m *measured) Close() error {
	m.once.Do(func() { m.done(m.read) })
	return m.ReadCloser.Close()
}
