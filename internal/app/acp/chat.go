package acp

import (
	"context"
	"slices"
	"sync"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/app/config"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/routine"
)

// chat is a session of the editor.
type chat struct {
	*session.Session
	server *server
	id     protocol.SessionId
	cwd    string // the editor's folder

	ctx    context.Context // ends with the session
	stop   context.CancelFunc
	events *event.Subscription
	views  printed.Views
	ending sync.Once

	serving sync.Mutex         // guards servers; taken before mu
	servers []config.MCPServer // named by the editor, without consent yet

	models  sync.Once
	listing sync.Mutex                        // guards listed; taken after mu
	listed  map[string][]provider.ModelChoice // models that sources listed

	mu          sync.Mutex // guards what follows, and the order of updates
	toldMode    protocol.SessionModeId
	toldOptions []protocol.SessionConfigOption
	renderer
	state  session.State
	prompt *prompt                       // the current prompt, or nil
	asking map[string]context.CancelFunc // requests shown in the editor, by ID
}

// changeWidth is the width of prose changes, in cells.
const changeWidth = 100

// take sets the chat's session.
func (c *chat) take(a *session.Session) {
	c.Session = a
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.views = c.newViews()
	c.asking, c.listed = map[string]context.CancelFunc{}, map[string][]provider.ModelChoice{}
	c.renderer = renderer{dir: a.Dir(), send: c.update}
	c.events = a.Subscribe()
}

// replay sends the history.
func (c *chat) replay(said []session.HistoryItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history(said)
}

// begin sends events from now on, after the history, once named is closed: an editor may not accept updates of a
// session that it does not know yet.
func (c *chat) begin(named <-chan struct{}, said []session.HistoryItem, servers []protocol.McpServer) {
	c.serving.Lock()
	var remark string
	c.servers, remark = serversOf(c.Session, servers)
	c.serving.Unlock()
	c.mu.Lock()
	c.state.Moved(said)
	c.mu.Unlock()
	routine.Go("acp events", func() {
		if named != nil {
			select {
			case <-named:
			case <-c.ctx.Done():
				return
			}
		}
		c.opened(remark)
		for {
			events, err := c.events.Next(c.ctx)
			if err != nil {
				return
			}
			c.mu.Lock()
			for _, e := range events {
				c.handleEvent(e)
			}
			c.mu.Unlock()
		}
	})
	c.ProviderChanges(c.ctx) // so that the first message waits less
}

// opened sends what is not part of the history: commands, warnings and unfinished messages.
func (c *chat) opened(remark string) {
	custom, _ := c.Custom(c.ctx)
	pending, warnings, err := c.Inbox.Recover()
	c.mu.Lock()
	c.offerCommands(custom.Commands)
	if err != nil {
		c.aside(err.Error())
	}
	for _, w := range slices.Concat([]string{remark}, warnings, c.Warnings()) {
		c.aside(w)
	}
	c.mu.Unlock()
	c.views.Offer(pending)
}

// handleEvent handles an event. c.mu must be held.
func (c *chat) handleEvent(e event.Event) {
	c.event(&c.state, e)
	switch e := e.(type) {
	case event.Requested:
		c.ask(e.Request)
	case event.ApprovalChanged:
		c.optionsChanged()
	case event.RequestEnded:
		if withdraw := c.asking[e.ID]; withdraw != nil {
			withdraw()
		}
	}
	c.state.Apply(e)
	c.prompted(e)
}

// update sends an update. A lost connection is detected elsewhere.
func (c *chat) update(u protocol.SessionUpdate) {
	_ = c.server.conn.SendNotification(c.ctx, protocol.ClientMethodSessionUpdate, protocol.SessionNotification{SessionId: c.id, Update: u})
}

// close closes the session. A running turn is cancelled and its message kept.
func (c *chat) close() {
	c.ending.Do(func() {
		c.stop()
		c.events.Close()
		c.Close()
	})
}

type modeRow struct {
	id          protocol.SessionModeId
	name, about string
	approval    event.Approval
}

// modeTable lists the modes of a session as shown in an editor: the approval modes by other names.
var modeTable = []modeRow{
	{"ask", "Ask first", "Each change of a note waits for your consent", event.ApprovalWrites},
	{"destructive", "Ask before destructive changes", "Deletions and large removals wait for your consent", event.ApprovalDestructive},
	{"auto", "Autonomous", "Notes are changed without asking; /undo reverts changes", event.ApprovalOff},
	{"plan", "Plan only", "The agent looks and makes a plan; nothing changes until you approve it", event.ApprovalPlan},
}

// modes returns all modes and the current one.
func (c *chat) modes() *protocol.SessionModeState {
	state := &protocol.SessionModeState{CurrentModeId: modeTable[0].id} // an unknown one is not weaker
	for _, m := range modeTable {
		if m.approval == c.Approval() {
			state.CurrentModeId = m.id
		}
		state.AvailableModes = append(state.AvailableModes, protocol.SessionMode{Id: m.id, Name: m.name, Description: new(m.about)})
	}
	return state
}
