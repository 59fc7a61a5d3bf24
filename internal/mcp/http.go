package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"chatvault/internal/loopback"
	"chatvault/internal/routine"
)

// Path is where a server answers over HTTP.
const Path = "/mcp"

// Bounds of what is taken over HTTP.
const (
	maxConnections = 128
	maxSessions    = 32
	maxBody        = 4 << 20 // bytes
	maxHeader      = 64 << 10
	bodyTime       = 30 * time.Second
	headerTime     = 10 * time.Second
	idleTime       = 30 * time.Minute // of a session without a request
	shutdownTime   = time.Second
)

// ServeHTTP answers clients that connect to a listener and know the token, until ctx ends. open says that
// the listener was meant to be reached from other machines.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string, open bool) error {
	server := &http.Server{
		Handler:           s.guarded(token, open, s.streamable()),
		ReadHeaderTimeout: headerTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ran := make(chan error, 1)
	routine.Go("mcp http", func() { ran <- server.Serve(netutil.LimitListener(l, maxConnections)) })
	select {
	case err := <-ran:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		_ = server.Close() // streams stay open as long as their clients like
	}
	return nil
}

// streamable is the transport of the protocol.
func (s *Server) streamable() http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		SessionTimeout: idleTime, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // guarded knows more
	})
}

// guarded lets requests through that may be answered. Other users of this computer reach its loopback
// addresses as well as web pages in a browser do: none of them knows the token, and no page may ask at all.
func (s *Server) guarded(token string, open bool, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := foreign(r, open); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "The token is missing or wrong: send it as \"Authorization: Bearer TOKEN\". It is in the file that chatvault mcp --http named at its start.", http.StatusUnauthorized)
			return
		}
		s.admitted(w, r, next)
	})
}

// admitted bounds a request that may be answered.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request, next http.Handler) {
	switch {
	case r.URL.Path != Path:
		http.Error(w, "There is nothing here: the server answers at "+Path+".", http.StatusNotFound)
		return
	case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && len(slices.Collect(s.sdk.Sessions())) >= maxSessions:
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many sessions: end some, or wait until idle ones end.", http.StatusServiceUnavailable)
		return
	}
	if r.Method == http.MethodPost {
		// The whole body first, in a bounded time; what is read from the connection later may take its time.
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(bodyTime))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			status := http.StatusBadRequest
			if _, long := errors.AsType[*http.MaxBytesError](err); long {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(w, "The request could not be read: "+err.Error(), status)
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	next.ServeHTTP(w, r)
}

// foreign says why a request is refused whoever sends it; "": it is not. A name that leads here by
// somebody else's DNS is not this server's, and a web page has no business here.
func foreign(r *http.Request, open bool) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if !loopback.Host(host) && (!open || net.ParseIP(host) == nil) {
		return "This host name is not the server's: use its address."
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || u.Host != r.Host {
			return "Web pages cannot use this server."
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" && site != "same-origin" {
		return "Web pages cannot use this server."
	}
	return ""
}
