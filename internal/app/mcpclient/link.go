package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/loopback"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal"
)

// link is a connection to a server.
type link struct {
	session *sdk.ClientSession
	changed chan struct{} // holds one if its tools may have changed
	end     func()        // ends the process; may be called again

	mu  sync.Mutex                                                // held during a question to the user
	ask func(name, why string) (value string, ok bool, err error) // asks the user; nil outside a call
}

// close ends the connection. It waits at most closeTime.
func (l *link) close() {
	l.end()
	closed := make(chan struct{})
	routine.Go("mcp close", func() {
		defer close(closed)
		_ = l.session.Close()
	})
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
}

// Bounds of a server's messages.
const (
	maxMessage = 16 << 20               // in bytes, the SDK's limit for processes
	closeTime  = 400 * time.Millisecond // for a program to end after its input, and again after SIGTERM
)

// connect connects to the server's process or address.
func (x *server) connect(ctx context.Context) (*link, error) {
	l := &link{changed: make(chan struct{}, 1)}
	client := sdk.NewClient(&sdk.Implementation{Name: "chatvault", Version: x.all.o.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // no roots, and no sampling
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case l.changed <- struct{}{}:
			default:
			}
		},
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return l.elicit(x.config.Name, r.Params)
		},
	})
	var transport sdk.Transport
	var err error
	if transport, l.end, err = x.transport(ctx); err != nil {
		return nil, err
	}
	if l.session, err = client.Connect(ctx, transport, nil); err != nil {
		l.end()
		return nil, err
	}
	return l, nil
}

// transport returns a transport to the server; end ends the process that was started for it.
func (x *server) transport(ctx context.Context) (t sdk.Transport, end func(), err error) {
	if x.config.URL == "" {
		return x.start(ctx)
	}
	client, err := x.httpClient(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &sdk.StreamableClientTransport{Endpoint: x.config.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessage}, func() {}, nil
}

// httpClient returns a client that sends the configured headers and follows no redirect.
func (x *server) httpClient(ctx context.Context) (*http.Client, error) {
	headers, err := x.config.Resolved(ctx, x.config.Headers)
	if err != nil {
		return nil, err
	}
	if x.config.Bearer.Configured() {
		token, err := x.config.Bearer.Resolve(ctx, os.LookupEnv)
		if err != nil {
			return nil, fmt.Errorf("bearer_command: %w", err)
		}
		headers["Authorization"] = "Bearer " + token.Reveal()
	}
	u, err := url.Parse(x.config.URL)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = loopback.Dial(&net.Dialer{Timeout: 10 * time.Second})
	if loopback.Host(u.Hostname()) {
		transport.Proxy = nil
	}
	return &http.Client{
		Transport: &headed{headers: headers, next: transport},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server redirects to another address, which is not followed")
		},
	}, nil
}

// headed adds headers to requests, and limits the size of answers that are not streams.
type headed struct {
	headers map[string]string
	next    http.RoundTripper
}

func (h *headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.headers {
		r.Header.Set(name, value)
	}
	res, err := h.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusUnauthorized {
		_ = res.Body.Close()
		return nil, errSignIn
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = http.MaxBytesReader(nil, res.Body, maxMessage)
	}
	return res, nil
}

// errSignIn is the error of a server that wants a token.
var errSignIn = errors.New("it asks for a sign-in (401): name a token with bearer_command; chatvault does not support OAuth, but you can start a program such as mcp-remote that signs in")

// cause describes an error in one line.
func (x *server) cause(err error) string {
	switch {
	case errors.Is(err, errSignIn):
		return errSignIn.Error()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Sprintf("the program %q is not in PATH", x.config.Command)
	case errors.As(err, new(*http.MaxBytesError)):
		return fmt.Sprintf("the server sent more than %d MB in one message", maxMessage>>20)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("it did not answer within %s", startTime)
	}
	return terminal.StrictLine(strings.Join(strings.Fields(err.Error()), " "))
}
