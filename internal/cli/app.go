package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/user"
	"sync/atomic"
	"time"

	"github.com/thlib/go-timezone-local/tzlocal"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/agent/prompts"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/internal/config"
	"chatvault/internal/ranked"
	"chatvault/internal/routine"
	"chatvault/internal/session/home"
	"chatvault/internal/session/provider"
	"chatvault/internal/smarthole"
	"chatvault/internal/trust"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// app is everything a command that talks to the agent needs, wired.
type app struct {
	vault         *vault.Vault
	config        *config.Config
	state         *os.Root         // the vault's state folder, which is the person's own
	kept          *os.Root         // where what was said is kept: state, or a folder in the vault
	own           *os.Root         // the vault's folder, for what its owner writes and reads in .smarthole
	answers       *trust.Answers   // what the owner agreed to of what came with the vault
	journal       *journal.Journal // what the vault's changes are kept in
	log           *home.Log
	conversations *conversation.Manager
	finder        *ranked.Finder
	processor     *agent.Processor
	provider      *provider.Late
	models        *provider.Models
	routed        *smarthole.Source // the way in for routed messages; nil: this process has none
	warnings      *warnings
	unwatch       func()                        // ends the look at what others change on disk
	changed       atomic.Pointer[config.Config] // as it is since a setting was changed in the chat; nil: as config
	accepted      atomic.Pointer[string]        // in the chat, for where things go; nil: nothing was
	refused       map[string]bool               // in the chat: turns of which nothing could be taken back
}

type appOptions struct {
	name            string // what the process is, for one that waits for it
	newConversation bool
	leaveGoal       bool // a goal that was set before is no concern of this process
	attended        bool // somebody can be asked
	approveAll      bool // consent was given to every change beforehand
	catchUp         bool // it lives long enough to do what earlier processes left undone
	userFile        string
}

// openVault opens the vault and the configuration: all that a tool needs.
func openVault(s Streams, g *globals) (*vault.Vault, *config.Config, error) {
	cfg, dir, err := loadConfig(s, g)
	if err != nil {
		return nil, nil, err
	}
	v, err := vault.Open(dir)
	if err != nil {
		return nil, nil, usageError("%v", err)
	}
	if err := v.SetPrivate(cfg.PrivateGlobs()); err != nil {
		_ = v.Close()
		return nil, nil, usageError("%v", err)
	}
	return v, cfg, nil
}

func toolLimits(cfg *config.Config) tools.Options {
	return tools.Options{ReadMaxLines: cfg.ReadMaxLines.V, ReadMaxBytes: cfg.ReadMaxBytes.V}
}

// open wires an app. Nothing in it reads the vault's notes, the inbox or the network yet.
func open(s Streams, g *globals, o appOptions) (*app, error) {
	v, cfg, err := openVault(s, g)
	if err != nil {
		return nil, err
	}
	a := &app{vault: v, config: cfg, warnings: &warnings{texts: cfg.Warnings}}
	o.userFile = g.userFile()
	if err := a.wire(s, o); err != nil {
		a.close()
		return nil, err
	}
	if err := config.NoteUse(v.Dir(), time.Now()); err != nil {
		a.logger().Warn("the list of vaults is not kept", "error", err)
	}
	return a, nil
}

func (a *app) wire(s Streams, o appOptions) error {
	var err error
	if a.state, err = home.Open(a.vault.Dir()); err != nil {
		return failure("%v", err)
	}
	s.faults.reportTo(a)
	if a.kept, err = home.OpenHistory(a.config, a.vault.Dir(), true); err != nil {
		return failure("%v", err)
	}
	if a.own, err = os.OpenRoot(a.vault.Dir()); err != nil {
		return failure("%v", err)
	}
	a.log = home.OpenLog(a.state, a.config.LogLevel.V)
	a.log.FromLibraries()
	a.warnings.log = func(text string) { a.logger().Warn(text) }
	a.journal = home.KeepJournal(a.vault, a.config, a.warnings.add)
	if a.answers, err = trust.Load(a.state); err != nil {
		a.warnings.add(err.Error())
	}
	a.tellBrought(cmp.Or(o.name, "chat"))
	a.conversations = conversation.NewManager(a.kept, conversation.Options{
		IdleTimeout: time.Duration(a.config.IdleMinutes.V) * time.Minute,
		Warn:        a.warnings.add,
	})
	find := provider.NewFinder(a.config, a.vault.Dir(), s.LookupEnv, a.logger())
	a.provider, err = find.Provider(a.vault)
	if err != nil {
		return asUsage(err)
	}
	if a.config.ChosenCounts() {
		if !provider.ChosenThere(a.config, s.LookupEnv) {
			a.warnings.add(provider.Capital(provider.ChosenGone(a.config.Chosen.V)) + "; " + a.provider.Name() + " answers. Choose another with /model.")
		}
	}
	fallback, err := find.Fallback()
	if err != nil {
		return asUsage(err)
	}
	subagent, err := find.Subagent()
	if err != nil {
		return asUsage(err)
	}
	a.models = provider.NewModels(find, a.vault, a.state, a.provider, func(p llm.Provider) { a.processor.SetProvider(p) })
	var notify func(event.Inbound, event.Result)
	if o.name != "ask" {
		if a.routed, err = a.newSource(); err != nil {
			return err
		}
		notify = a.routed.Notify
	}
	limits := toolLimits(a.config)
	a.finder = ranked.NewFinder(a.vault, o.name != "ask")
	limits.Conversations, limits.Finder = a.conversations, a.finder
	registry := tools.NewRegistry(a.vault, limits)
	a.processor, err = agent.New(agent.Options{
		Root: a.state, Vault: a.own, Agreed: a.answers.Agreed, Provider: a.provider, Fallback: fallback, Subagent: subagent, Conversations: a.conversations,
		Tools:           func(m tools.Messenger) agent.Toolbox { return registry.Turn(m) },
		Vars:            a.promptVars,
		Withhold:        a.withhold,
		Attach:          attacher(a.vault, toolLimits(a.config)),
		MaxRounds:       a.config.MaxToolIterations.V,
		Budget:          budget(a.config),
		Window:          a.config.ContextWindow.V,
		Log:             a.logger(),
		Name:            o.name,
		NewConversation: o.newConversation,
		LeaveGoal:       o.leaveGoal,
		GoalMaxTurns:    a.config.GoalMaxTurns.V,
		Attended:        o.attended,
		Approval:        agent.Approval(a.config.Approval.V), ApproveAll: o.approveAll,
		Supplier: provider.NewSupplier(find, o.userFile),
		Options: memory.Options{
			Titles: true, Retrospection: a.config.Retrospection.V, RetrospectionPrompt: a.config.RetrospectionPrompt.V,
			CatchUp: o.catchUp, MaxConversations: a.config.MaxConversations.V,
		},
		StateTimeout: time.Duration(a.config.StateTimeoutMinutes.V) * time.Minute,
		Notify:       notify,
		TurnEnded:    a.turnEnded,
	})
	if err != nil {
		return failure("%v", err)
	}
	if a.routed != nil {
		a.routed.Attach(a.processor)
	}
	a.unwatch = a.vault.Watch(a.processor.NotesChanged)
	routine.Go("sweep", a.sweep)
	return nil
}

func (a *app) logger() *slog.Logger { return a.log.Logger }

// sweep removes temporary files that a crash left in the state folder, in the background. Beside
// notes nothing is looked for: a vault may hold files of any name.
func (a *app) sweep() {
	defer func() {
		if v := recover(); v != nil {
			a.logger().Error("panic while sweeping", "panic", v)
		}
	}()
	if err := home.Sweep(a.state); err != nil {
		a.logger().Warn("temporary files of the state folder not swept", "error", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a.tendJournal(ctx) // what a crash left beside notes goes with the change that it cut
}

// close ends what was opened, as far as it was; a running turn is cut.
func (a *app) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var err error
	if a.routed != nil {
		a.routed.Close()
	}
	if a.unwatch != nil {
		a.unwatch()
	}
	if a.processor != nil {
		err = a.processor.Close(ctx)
	}
	if a.finder != nil {
		a.finder.Close()
	}
	if a.log != nil {
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			a.logger().Warn("not closed cleanly", "error", err)
		}
		a.log.Close()
	}
	for _, root := range []*os.Root{a.state, a.kept, a.own} {
		if root != nil {
			_ = root.Close()
		}
	}
	if a.journal != nil {
		_ = a.journal.Close()
	}
	_ = a.vault.Close()
}

// promptVars describes the vault to the model. The walk is bounded, so that a huge vault does
// not delay the first answer.
func (a *app) promptVars(ctx context.Context) prompts.Vars {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	shape, err := a.vault.Shape(ctx, 200_000, 20)
	if err != nil {
		a.logger().Warn("the vault could not be counted", "error", err)
	}
	v := prompts.Vars{
		VaultName: a.vault.Name(), Notes: shape.Notes, Folders: shape.Folders, Complete: shape.Complete,
		InformationArchitecture: a.architecture(), UserName: userName(a.config.UserName.V, user.Current),
		NewNotes: a.vault.NewNoteFolder(),
	}
	v.TimeZone = timeZone(time.Now())
	for _, f := range shape.Top {
		v.Top = append(v.Top, prompts.FolderCount{Path: f.Path, Notes: f.Notes})
	}
	return v
}

// timeZone is where the person is, in the names of the IANA database; empty where nothing tells: the
// offset beside each message has to do then. A name that does not go with the clock is not told.
func timeZone(now time.Time) string {
	name, err := tzlocal.RuntimeTZ()
	if err != nil || name == "Local" {
		return ""
	}
	if place, err := time.LoadLocation(name); err == nil {
		_, there := now.In(place).Zone()
		if _, here := now.Zone(); here != there {
			return ""
		}
	}
	return name
}

// budget is what a turn may spend.
func budget(cfg *config.Config) spend.Budget {
	return spend.Budget{
		Tokens: cfg.BudgetTokens.V, USD: cfg.BudgetUSD.V,
		Price: func(model string) (spend.Price, bool) {
			p, ok := provider.PriceOf(cfg, model)
			return spend.Price{Input: p.Input, CachedInput: p.CachedInput, Output: p.Output}, ok
		},
	}
}

// asUsage gives settings that make no sense their exit status.
func asUsage(err error) error {
	var bad *provider.SettingsError
	if errors.As(err, &bad) {
		return usageError("%v", err)
	}
	return err
}
