// Package session provides an open vault and its agent to front-ends.
package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/internal/app/config"
	"chatvault/internal/app/mcpclient"
	"chatvault/internal/app/ranked"
	"chatvault/internal/app/session/home"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/app/smarthole"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/trust"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// Session is an open vault and its agent, as front-ends use them.
type Session struct {
	parts
	*processor
	vault  *vault.Vault
	config *config.Config
	folders
	steering   *steering        // the owner's instructions and skills, and consent to what came with the vault
	journal    *journal.Journal // journal of the vault's changes
	log        *slog.Logger
	manager    *conversation.Manager
	windows    windowLocks // locks of this session's conversation
	finder     *ranked.Finder
	mcp        *mcpclient.Servers // nil if there can be none
	provider   *provider.Lazy
	warnings   *warnings
	closers    []func() // release what was opened
	firstFrame time.Duration
}

// parts are what front-ends get of a session. They can be used alone.
type parts struct {
	Changes       *Changes
	Citations     *Citations
	Conversations *Conversations
	Drafts        *home.Drafts
	Inbox         *Inbox
	Mentions      *Mentions
	Models        *provider.Models
	Prompts       home.PromptHistory // typed messages
	Routing       *smarthole.Source  // nil for a single request
	Settings      *Settings
	Trust         *Trust
}

// folders are the open folders of a session, other than the notes.
type folders struct {
	state *os.Root // the vault's state folder in the user's home
	own   *os.Root // the vault's folder, for .smarthole
}

// Options configure how a vault is opened.
type Options struct {
	Config  *config.Config
	Dir     string         // the vault's folder
	Sources config.Sources // sources of the configuration
	Version string
	Name    string // kind of process, shown to others that wait for it: "chat", "ask"

	NewConversation bool
	LeaveGoal       bool // ignore a goal that was set before
	Attended        bool // a user can be asked
	ApproveAll      bool // every change has consent in advance
	CatchUp         bool // the process lives long enough to finish background work of earlier ones

	// Pinned is the ID of the conversation an editor's session is pinned to, existing or new (see NewConversationID).
	// It does not end when idle, and asks about every change unless the user's own configuration sets a mode. If empty,
	// it is the one used last, or a new one.
	Pinned  string
	Buffers tools.Buffers // the editor's open buffers; nil if there is no editor
	// Servers returns MCP servers outside the configuration to which the user has consented since the last call. A
	// turn calls it before it gets its tools and blocks until it returns. May be nil.
	Servers func(turn context.Context) []config.MCPServer

	// FirstFrame is how long Load waits, so that the screen can write its first frame.
	FirstFrame time.Duration
	// Begun is called with the session once it has a state folder, which a crash report needs.
	Begun func(*Session)
}

// OpenVault opens a vault's folder with its private patterns.
func OpenVault(cfg *config.Config, dir string) (*vault.Vault, error) {
	v, err := vault.Open(dir)
	if err != nil {
		return nil, provider.Unusable("%v", err)
	}
	if err := v.SetPrivate(cfg.PrivateGlobs()); err != nil {
		_ = v.Close()
		return nil, provider.Unusable("%v", err)
	}
	return v, nil
}

// ToolLimits returns the limits of what tools read at once.
func ToolLimits(cfg *config.Config) tools.Options {
	return tools.Options{ReadMaxLines: cfg.ReadMaxLines.V, ReadMaxBytes: cfg.ReadMaxBytes.V}
}

// Open opens a vault for a front-end. It does not read the notes, the inbox or the network.
func Open(o Options) (*Session, error) {
	v, err := OpenVault(o.Config, o.Dir)
	if err != nil {
		return nil, err
	}
	a := &Session{vault: v, config: o.Config, firstFrame: o.FirstFrame, warnings: &warnings{texts: o.Config.Warnings}}
	a.onClose(func() { _ = v.Close() })
	if err := a.wire(o); err != nil {
		a.Close()
		return nil, err
	}
	if err := config.NoteUse(v.Dir(), time.Now()); err != nil {
		a.Log().Warn("the list of vaults is not kept", "error", err)
	}
	return a, nil
}

// openFolders opens the state folder of the vault, and the vault.
func (a *Session) openFolders(o Options) (err error) {
	dir := a.vault.Dir()
	if a.state, err = a.opened(home.Open(dir)); err != nil {
		return err
	}
	if o.Begun != nil {
		o.Begun(a)
	}
	if a.own, err = a.opened(os.OpenRoot(dir)); err != nil {
		return err
	}
	a.windows.state = a.state
	var stop func()
	a.log, stop = home.OpenLog(a.state, a.config.LogLevel.V)
	a.onClose(stop)
	a.warnings.log = func(text string) { a.Log().Warn("the person was warned", "text", text) }
	a.journal = home.KeepJournal(a.vault, a.warnings.add)
	a.onClose(func() { _ = a.journal.Close() })
	answers, err := trust.Load(a.state)
	if err != nil {
		a.warnings.add(err.Error())
	}
	a.steering = &steering{Library: Skills(a.config, a.own, answers), told: map[string]bool{}}
	return nil
}

// opened has Close close a folder.
func (a *Session) opened(root *os.Root, err error) (*os.Root, error) {
	if err == nil {
		a.onClose(func() { _ = root.Close() })
	}
	return root, err
}

func (a *Session) wire(o Options) error {
	if err := a.openFolders(o); err != nil {
		return err
	}
	a.warnUnused(cmp.Or(o.Name, "chat"))
	timeout := time.Duration(a.config.IdleMinutes.V) * time.Minute
	if o.Pinned != "" {
		timeout = 0
	}
	a.onClose(a.windows.close)
	a.manager = conversation.NewManager(a.state, conversation.Options{
		IdleTimeout: timeout,
		Warn:        a.warnings.add,
		Hold:        a.windows.hold,
	})
	if err := a.chooseConversation(o); err != nil {
		return err
	}
	find := provider.NewFinder(a.config, o.Sources.LookupEnv, a.Log())
	a.finder = ranked.NewFinder(a.vault, o.Name != "ask", a.config.SaveChats.V)
	a.onClose(a.finder.Close)
	var err error
	if a.provider, err = find.Provider(a.finder); err != nil {
		return err
	}
	if gone := provider.ChosenGone(a.config, o.Sources.LookupEnv); gone != "" {
		a.warnings.add(gone + "; " + a.provider.Name() + " answers. Choose another with /model.")
	}
	fallback, err := find.Fallback()
	if err != nil {
		return err
	}
	var notify func(event.Inbound, event.Event)
	if o.Name != "ask" {
		if a.Routing, err = a.newRouting(o.Version); err != nil {
			return err
		}
		notify = a.Routing.Notify
	}
	a.Settings = &Settings{sources: o.Sources, config: a.config}
	limits := ToolLimits(a.config)
	limits.Conversations, limits.Finder, limits.Buffers = a.manager, a.finder, o.Buffers
	limits.Skills = a.steering.Used
	approval := a.config.Approval.V
	if o.Pinned != "" {
		approval = askedFirst(a.config.Approval)
	}
	var engineApproval event.Approval
	if o.Attended && o.Name == "chat" {
		engineApproval = event.Approval(askedFirst(a.config.Approval))
	}
	if o.Buffers != nil {
		a.vault.History.Guard(tools.Saved(a.vault, o.Buffers))
	}
	registry := tools.NewRegistry(a.vault, limits)
	a.mcp = a.newServers(o.Version, o.Servers != nil)
	a.onClose(a.mcp.Close)
	a.processor, err = agent.New(agent.Options{
		Root: a.state, Vault: a.own, Agreed: a.steering.Answers.Agreed, Conversations: a.manager,
		Agent: agent.Agent{
			Provider: a.provider, Fallback: fallback, MaxRounds: a.config.MaxToolIterations.V,
			Prompt: agent.PromptSize(a.config.Prompt.V),
			Budget: budget(a.config), Window: a.config.ContextWindow.V, Log: a.Log(),
		},
		Tools:           a.toolbox(registry),
		Made:            registry.Made,
		Vars:            a.promptVars,
		Steer:           a.steering.fill,
		Name:            o.Name,
		NewConversation: o.NewConversation,
		Goals:           agent.Goals{GoalMaxTurns: a.config.GoalMaxTurns.V, LeaveGoal: o.LeaveGoal},
		Single:          a.config.Strategy.V == config.StrategySingle,
		Attended:        o.Attended,
		Reports:         o.Name == "ask" || o.Name == "inbox retry",
		Approval:        event.Approval(approval), ApproveAll: o.ApproveAll,
		Engine: provider.NewOffline(a.finder), EngineApproval: engineApproval,
		Supplier: find,
		Ended: agent.Ended{
			Titles: true, Retrospection: a.config.Retrospection.V, RetrospectionPrompt: a.config.RetrospectionPrompt.V,
			CatchUp: o.CatchUp, MaxConversations: a.config.MaxConversations.V, Save: a.saver(),
		},
		Ready: a.serversReady(o.Name == "ask", o.Servers), News: a.steering.unusedNotice, Withhold: a.withhold, Found: a.found,
		Attach: attaching{a.vault, limits, artifact.NewStore(a.state)}.attach, Notify: notify, TurnEnded: a.turnEnded,
		StateTimeout: time.Duration(a.config.StateTimeoutMinutes.V) * time.Minute,
	})
	if err != nil {
		return err
	}
	a.onClose(a.closeProcessor)
	if a.Routing != nil {
		a.Routing.Attach(a.processor)
		a.onClose(a.Routing.Close)
	}
	a.initParts(o, find)
	a.onClose(a.Drafts.Close)
	routine.Go("sweep", a.sweep)
	return nil
}

// initParts creates the exported parts of the session.
func (a *Session) initParts(o Options, find provider.Finder) {
	a.Models = provider.NewModels(find, a.finder, a.state, a.provider, func(p llm.Provider) { a.SetProvider(p) })
	a.Changes = &Changes{vault: a.vault, state: a.state, log: a.Log(), manager: a.manager, windows: &a.windows}
	a.Conversations = &Conversations{
		manager: a.manager, windows: &a.windows, processor: a.processor, changes: a.Changes, vault: a.vault,
		hide: Keyless(Secrets(a.config, o.Sources.LookupEnv)),
	}
	a.Inbox = &Inbox{processor: a.processor, conversations: a.Conversations, state: a.state, log: a.Log(), here: o.Pinned != ""}
	a.Trust = &Trust{sources: o.Sources, steering: a.steering}
	a.Mentions = &Mentions{attaching{a.vault, ToolLimits(a.config), artifact.NewStore(a.state)}, a.Sees}
	a.Citations = &Citations{vault: a.vault}
	a.Drafts = home.NewDrafts(a.state, a.Log())
	a.Prompts = home.NewPromptHistory(a.state, func(err error) { a.Log().Warn("prompt history not written", "error", err) })
}

// sweep removes temporary files of crashed processes from the state folder, in the background. It does not touch the
// vault, whose files may have any name.
func (a *Session) sweep() {
	if err := home.Sweep(a.state); err != nil {
		a.Log().Warn("temporary files of the state folder not swept", "error", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := a.manager.SweepArtifacts(); err != nil {
		a.Log().Warn("artifacts not swept", "error", err)
	}
	// End conversations that have been idle for long and are open nowhere.
	left := Left(a.state)
	if _, err := a.manager.EndLeft(time.Now(), "idle", func(e conversation.Entry) bool { return a.idle(e) && left(e) }); err != nil {
		a.Log().Warn("conversations of closed windows not ended", "error", err)
	}
	a.maintainJournal(ctx) // temporary files next to notes are removed with the interrupted change
}

// closeTime is how long Close waits for a turn that it cancels.
const closeTime = time.Second

// Close cancels a running turn and releases all resources, last opened first.
func (a *Session) Close() {
	for _, release := range slices.Backward(a.closers) {
		release()
	}
	a.closers = nil
}

// onClose has Close release what was opened. Errors do not matter by then.
func (a *Session) onClose(release func()) { a.closers = append(a.closers, release) }

// closeProcessor cancels a running turn and ends the agent.
func (a *Session) closeProcessor() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := a.processor.Close(ctx); err != nil && !errors.Is(err, os.ErrNotExist) {
		a.Log().Warn("not closed cleanly", "error", err)
	}
}
