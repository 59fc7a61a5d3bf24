package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/atomicfile"
)

// processor makes the methods of the agent that run and watch turns those of a Session: Submit, Stop, TakeBack, Answer,
// Subscribe, Busy, Working, Drain, Finish, the goal, the approval, usage and costs.
type processor = agent.Processor

// End cancels the running turn and shuts the agent down. It is called before the session is closed.
func (a *Session) End(ctx context.Context) error { return a.processor.Close(ctx) }

// GoesOn reports whether work toward the goal is under way or about to continue.
func (a *Session) GoesOn() bool {
	g := a.Goal()
	return g.InProgress() && (g.Status != event.GoalActive || a.Busy())
}

// CatchUp runs the background work that turns left, and up to titles titles that earlier processes left, until ctx
// ends.
func (a *Session) CatchUp(ctx context.Context, titles int) {
	a.processor.CatchUp(titles)
	if err := a.Settle(ctx); err != nil {
		a.Log().Info("left to the next chat: titles and retrospections")
	}
}

// Vault returns the vault's name.
func (a *Session) Vault() string { return a.vault.Name() }

// ReadOnly reports whether the vault cannot be changed.
func (a *Session) ReadOnly() bool { return a.vault.ReadOnly() }

// Dir returns the vault's folder.
func (a *Session) Dir() string { return a.vault.Dir() }

// Config returns the configuration with which the vault was opened.
func (a *Session) Config() *config.Config { return a.config }

// Provider returns the name of the provider if known, and whether it is the embedded engine.
func (a *Session) Provider() (name string, isOffline bool) {
	name = a.provider.Name()
	return name, name == offline.Name
}

// EngineAnswers waits until it is known which model answers, and reports whether it is the embedded engine.
func (a *Session) EngineAnswers(ctx context.Context) bool {
	p, err := a.provider.Ready(ctx)
	return err == nil && p.Name() == offline.Name
}

// Warnings returns the warnings collected since the last call, a line each.
func (a *Session) Warnings() []string { return a.warnings.take() }

// Log returns the vault's log.
func (a *Session) Log() *slog.Logger { return a.log }

// RecoverChange settles a change that a crash interrupted. It must run before anything is read.
func (a *Session) RecoverChange(ctx context.Context) { home.Recover(ctx, a.vault, a.warnings.add) }

// CrashReport writes a crash report to the state folder and returns a message with its path.
func (a *Session) CrashReport(version string, value any, stack []byte) string {
	name := "crash-" + time.Now().UTC().Format("20060102-150405") + ".txt"
	text := llm.Redact(fmt.Sprintf("chatvault %s\nThis may hold names: read it before you send it.\n\n%v\n\n%s", version, value, stack))
	if err := atomicfile.WriteFile(a.state, name, []byte(text), 0o600); err != nil {
		return "The report could not be written: " + err.Error()
	}
	return "Your messages are safe. A report is in " + filepath.Join(a.state.Name(), name) +
		"; it may hold names"
}
