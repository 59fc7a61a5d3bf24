package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/loopback"
	"chatvault/internal/terminal"
)

// link is a connection to a server.
type link struct {
	session *sdk.ClientSession
	changed chan struct{} // holds one when its tools may be others
	end     func()        // of the process

	mu  sync.Mutex
	ask Asker // of the call under way; nil: nobody can be asked
}

func (l *link) close() {
	_ = l.session.Close()
	if l.end != nil {
		l.end()
	}
}

// Bounds of what a server sends.
const (
	maxMessage = 16 << 20               // bytes of one, as the SDK has it for processes
	closeTime  = 500 * time.Millisecond // for a program to end by itself, and once more when told to: with both, ours ends within 2 s
)

// connect starts the server's process, or reaches its address.
func (x *server) connect(ctx context.Context) (*link, error) {
	l := &link{changed: make(chan struct{}, 1)}
	client := sdk.NewClient(&sdk.Implementation{Name: "chatvault", Version: x.all.o.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // no roots, and no sampling: a server has nobody's model to use
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case l.changed <- struct{}{}:
			default:
			}
		},
		ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return l.elicited(ctx, x.config.Name, r.Params)
		},
	})
	transport, end, err := x.transport(ctx)
	if err != nil {
		return nil, err
	}
	l.end = end
	if l.session, err = client.Connect(ctx, transport, nil); err != nil {
		if end != nil {
			end()
		}
		return nil, err
	}
	return l, nil
}

// transport is the way to the server; end, which may be nil, ends what was started for it.
func (x *server) transport(ctx context.Context) (t sdk.Transport, end func(), err error) {
	if x.config.URL != "" {
		client, err := x.httpClient(ctx)
		if err != nil {
			return nil, nil, err
		}
		return &sdk.StreamableClientTransport{Endpoint: x.config.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessage}, nil, nil
	}
	env, err := x.config.Resolved(ctx, x.config.Env)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "chatvault-mcp-")
	if err != nil {
		return nil, nil, err
	}
	c := exec.Command(x.config.Command, x.config.Args...)
	c.Dir, c.Env = dir, environment(env, os.Getenv)
	c.Stderr = &lines{note: x.note}
	c.WaitDelay = closeTime
	ownGroup(c)
	return &sdk.CommandTransport{Command: c, TerminateDuration: closeTime}, func() {
		endGroup(c)
		_ = os.RemoveAll(dir)
	}, nil
}

// environment is what a server's process sees: nothing of ours but where programs and its own files lie.
func environment(named map[string]string, getenv func(string) string) []string {
	env := []string{}
	for _, name := range []string{"PATH", "HOME", "LANG"} {
		if _, ours := named[name]; !ours && getenv(name) != "" {
			env = append(env, name+"="+getenv(name))
		}
	}
	for name, value := range named {
		env = append(env, name+"="+value)
	}
	return env
}

// lines notes what is written to it, a line each.
type lines struct {
	note func(string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			if len(l.rest) > 4*maxLogLine {
				l.rest = l.rest[:0]
			}
			return len(p), nil
		}
		if line := strings.TrimSpace(terminal.StrictLine(string(l.rest[:min(i, 4*maxLogLine)]))); line != "" {
			l.note(line)
		}
		l.rest = append(l.rest[:0], l.rest[i+1:]...)
	}
}

// httpClient sends the configured headers, to the configured host alone.
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
		Transport: &headed{headers: headers, host: u.Host, next: transport},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server redirects to another address, which is not followed")
		},
	}, nil
}

// headed adds headers to requests to one host, and bounds the answers that are no streams.
type headed struct {
	headers map[string]string
	host    string
	next    http.RoundTripper
}

func (h *headed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != h.host {
		return nil, fmt.Errorf("%s is not the configured server", r.URL.Host)
	}
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
		res.Body = &bounded{ReadCloser: res.Body, left: maxMessage}
	}
	return res, nil
}

// errSignIn is what a server says that wants a token.
var errSignIn = errors.New("it asks for a sign-in (401): name a token with bearer_command; chatvault does not support OAuth, but you can start a program such as mcp-remote that signs in")

type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the server sent more than %d MB in one message", maxMessage>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// cause is an error for a person, on one line.
func (x *server) cause(err error) string {
	switch {
	case errors.Is(err, errSignIn):
		return errSignIn.Error()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Sprintf("the program %q is not in PATH", x.config.Command)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("it did not answer within %s", startTime)
	}
	return terminal.StrictLine(strings.Join(strings.Fields(err.Error()), " "))
}
