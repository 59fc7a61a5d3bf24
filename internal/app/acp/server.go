// Package acp is the chat inside an editor: a front-end for the Agent Client Protocol, version 1, over standard input
// and output. Each of the editor's sessions is a session pinned to its own conversation.
package acp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
)

// Options configure the chat in an editor.
type Options struct {
	In      io.Reader
	Out     io.Writer // only the protocol
	Version string
	// Ending is called when the connection has ended, before the sessions are closed.
	Ending func()
	// Open opens the vault of an editor's folder.
	Open func(cwd string, o session.Options) (*session.Session, error)
	// Listed returns that vault's folder and conversations. Without an editor's folder it may find no vault and
	// return nothing.
	Listed func(cwd string) (dir string, list []session.Past, err error)
	// Delete removes a conversation of that vault. It is no error if there is none.
	Delete func(cwd, id string) error
	// Logout removes the keys that were typed and stored.
	Logout func(ctx context.Context) error
	// Mention returns the text that mentions a file of the vault in a message; Attached returns the files that a
	// message mentions.
	Mention  func(path string) string
	Attached func(ctx context.Context, find Find, message string) ([]session.VaultFile, error)
}

// Find resolves files of a vault.
type Find = func(ctx context.Context, paths []string) (map[string]session.VaultFile, error)

// server is the agent's side of the connection.
type server struct {
	o     Options
	conn  *protocol.Connection
	order *order
	out   *output

	mu      sync.Mutex
	buffers bool            // the editor tells the text of open files
	folders map[string]bool // named by the editor, with "" for none
	chats   map[protocol.SessionId]*chat
	index   map[string]*chat // the session that indexes a vault, by the vault's folder
	ended   bool
}

// Run serves an editor until it disconnects or ctx ends. A running turn is cancelled and its message kept.
func Run(ctx context.Context, o Options) error {
	s := &server{o: o, chats: map[protocol.SessionId]*chat{}, index: map[string]*chat{}, folders: map[string]bool{"": true}}
	ctx, lost := context.WithCancel(ctx)
	defer lost()
	s.order, s.out = newOrder(o.In), &output{to: o.Out, lost: lost, waiting: map[string]chan struct{}{}}
	s.conn = protocol.NewConnection(s.handle, s.out, s.order)
	s.conn.SetLogger(slog.New(slog.DiscardHandler)) // it would log messages
	close(s.order.ready)
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
	}
	o.Ending()
	s.end()
	return nil
}

// end closes all sessions concurrently.
func (s *server) end() {
	s.mu.Lock()
	s.ended = true
	chats := s.chats
	s.chats = nil
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range chats {
		routine.Join(&all, "close session", c.close)
	}
	all.Wait()
}

// none is an empty object, which announces a capability.
type none struct{}

// initialize returns the capabilities. The SDK's type lacks session/delete.
func (s *server) initialize(_ context.Context, r protocol.InitializeRequest) (map[string]any, error) {
	s.mu.Lock()
	s.buffers = r.ClientCapabilities.Fs.ReadTextFile
	s.mu.Unlock()
	return map[string]any{
		"protocolVersion": protocol.ProtocolVersionNumber,
		"agentInfo":       protocol.Implementation{Name: "chatvault", Title: new("chatvault"), Version: s.o.Version},
		"authMethods":     []none{}, // without a key the embedded engine answers
		"agentCapabilities": map[string]any{
			"auth":                map[string]any{"logout": none{}},
			"loadSession":         true,
			"mcpCapabilities":     protocol.McpCapabilities{Http: true},
			"promptCapabilities":  protocol.PromptCapabilities{EmbeddedContext: true, Image: true},
			"sessionCapabilities": map[string]any{"list": none{}, "delete": none{}, "resume": none{}, "close": none{}},
		},
	}, nil
}

// opened is the answer to a request that opens a session.
type opened struct {
	ID      protocol.SessionId             `json:"sessionId,omitempty"` // of a new one
	Modes   *protocol.SessionModeState     `json:"modes"`
	Options []protocol.SessionConfigOption `json:"configOptions"`
	Models  protocol.SessionModelState     `json:"models"` // for editors that know session/set_model and no options
}

func (s *server) newSession(_ context.Context, r protocol.NewSessionRequest) (opened, error) {
	id := protocol.SessionId(session.NewConversationID())
	c, err := s.open(id, r.Cwd)
	if err != nil {
		return opened{}, err
	}
	c.begin(s.out.names(string(id)), nil, r.McpServers)
	o := c.setup()
	o.ID = id
	return o, nil
}

func (s *server) loadSession(ctx context.Context, r protocol.LoadSessionRequest) (opened, error) {
	return s.take(ctx, r.SessionId, r.Cwd, r.McpServers, true)
}

func (s *server) resumeSession(ctx context.Context, r protocol.ResumeSessionRequest) (opened, error) {
	return s.take(ctx, r.SessionId, r.Cwd, r.McpServers, false)
}

// heldFor is how long to wait for a session that is open elsewhere: an editor that restarts its agent may not have
// waited for the previous one to exit.
const heldFor = 3 * time.Second

// take opens an existing session. replay sends its history.
func (s *server) take(ctx context.Context, id protocol.SessionId, cwd string, servers []protocol.McpServer, replay bool) (opened, error) {
	if c := s.chat(id); c != nil { // it is open here: the editor lost track of it
		s.forget(c)
		c.close()
	}
	_, list, err := s.o.Listed(cwd)
	if err != nil {
		return opened{}, err
	}
	if !slices.ContainsFunc(list, func(p session.Past) bool { return p.ID == string(id) }) {
		return opened{}, &protocol.RequestError{Code: codeNotFound, Message: "There is no session " + string(id) + " in this vault; session/list names those there are."}
	}
	c, err := s.open(id, cwd)
	for end := time.Now().Add(heldFor); errors.Is(err, session.ErrHeld) && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(50 * time.Millisecond)
		c, err = s.open(id, cwd)
	}
	if err != nil {
		return opened{}, err
	}
	said, err := c.Conversations.History(ctx)
	if err != nil {
		s.forget(c)
		c.close()
		return opened{}, err
	}
	if replay {
		c.replay(said)
	}
	c.begin(nil, said, servers)
	return c.setup(), nil
}

// open opens and registers a session.
func (s *server) open(id protocol.SessionId, cwd string) (*chat, error) {
	c := &chat{server: s, id: id, cwd: cwd}
	s.named(cwd)
	s.mu.Lock()
	buffers := s.buffers
	s.mu.Unlock()
	o := session.Options{Name: "acp", Pinned: string(id), Attended: true, LeaveGoal: true, CatchUp: true, Servers: c.agreed}
	if buffers {
		o.Buffers = c
	}
	a, err := s.o.Open(cwd, o)
	if err != nil {
		return nil, err
	}
	c.take(a)
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		c.close()
		return nil, errors.New("the connection is ending")
	}
	s.chats[id] = c
	s.mu.Unlock()
	return c, nil
}

func (s *server) chat(id protocol.SessionId) *chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chats[id]
}

// known returns the session with an ID, or an error of the protocol.
func (s *server) known(id protocol.SessionId) (*chat, error) {
	c := s.chat(id)
	if c == nil {
		return nil, &protocol.RequestError{Code: codeNotFound, Message: "There is no open session " + string(id) + ": open one with session/new or session/load."}
	}
	return c, nil
}

func (s *server) forget(c *chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chats[c.id] == c {
		delete(s.chats, c.id)
	}
	if s.index[c.Dir()] == c {
		delete(s.index, c.Dir())
	}
}

// indexes lets a used session index its vault unless another one does, so that a vault is in memory only once.
func (s *server) indexes(c *chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[c.Dir()] == nil && s.chats[c.id] == c {
		s.index[c.Dir()] = c
		c.KeepIndex()
	}
}

func (s *server) closeSession(_ context.Context, r protocol.CloseSessionRequest) (protocol.CloseSessionResponse, error) {
	c, err := s.known(r.SessionId)
	if err != nil {
		return protocol.CloseSessionResponse{}, err
	}
	s.forget(c)
	c.close()
	return protocol.CloseSessionResponse{}, nil
}

// methodSessionDelete is missing in the SDK.
const methodSessionDelete = "session/delete"

// deleteSession deletes a session, open or not, in any of the vaults that the editor has named. A missing one is no error.
func (s *server) deleteSession(_ context.Context, r protocol.CloseSessionRequest) (none, error) {
	s.mu.Lock()
	folders := slices.Collect(maps.Keys(s.folders))
	s.mu.Unlock()
	if c := s.chat(r.SessionId); c != nil {
		folders = []string{c.Dir()}
		s.forget(c)
		c.close()
	}
	for _, cwd := range folders {
		if err := s.o.Delete(cwd, string(r.SessionId)); err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}

// logout removes the stored keys. Open sessions keep theirs.
func (s *server) logout(ctx context.Context, _ none) (none, error) { return none{}, s.o.Logout(ctx) }

// named records a folder that the editor names.
func (s *server) named(cwd string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders[cwd] = true
}

// maxListed is the maximum number of sessions per page of the list.
const maxListed = 100

// listSessions returns a page of the sessions. A cursor is the number of those before it.
func (s *server) listSessions(_ context.Context, r protocol.ListSessionsRequest) (protocol.ListSessionsResponse, error) {
	out := protocol.ListSessionsResponse{Sessions: []protocol.SessionInfo{}}
	cwd := ""
	if r.Cwd != nil {
		cwd = *r.Cwd
		s.named(cwd)
	} else {
		s.mu.Lock()
		for _, c := range s.chats {
			cwd = c.Dir() // all of them are usually of one vault
		}
		s.mu.Unlock()
	}
	from := 0
	if r.Cursor != nil {
		n, err := strconv.Atoi(*r.Cursor)
		if err != nil || n < 0 {
			return out, invalid("the cursor is not one of session/list")
		}
		from = n
	}
	dir, list, err := s.o.Listed(cwd)
	if err != nil {
		return out, err
	}
	list = list[min(from, len(list)):]
	if len(list) > maxListed {
		out.NextCursor = new(strconv.Itoa(from + maxListed))
		list = list[:maxListed]
	}
	for _, p := range list {
		out.Sessions = append(out.Sessions, protocol.SessionInfo{
			SessionId: protocol.SessionId(p.ID), Cwd: dir, Title: new(cmp.Or(p.Title, p.First)), UpdatedAt: new(p.Last.UTC().Format(time.RFC3339)),
		})
	}
	return out, nil
}
