package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

// Submit accepts a message and returns it with its ID and Time. The message is durable if the error is nil.
func (a *Session) Submit(ctx context.Context, m event.Inbound) (event.Inbound, error) {
	return a.processor.Submit(ctx, m)
}

// Stop stops the running turn, if there is one.
func (a *Session) Stop() { a.processor.Stop() }

// TakeBack removes a queued message from the queue. It returns false if the message was already taken.
func (a *Session) TakeBack(id string) (event.Inbound, bool) { return a.processor.TakeBack(id) }

// Answer answers a request of the running turn. It returns an error if the request is no longer open or the answer
// does not fit it.
func (a *Session) Answer(id string, answer event.Answer) error { return a.processor.Answer(id, answer) }

// Subscribe returns a subscription to all events from now on.
func (a *Session) Subscribe() *event.Subscription { return a.processor.Subscribe() }

// Busy reports whether a turn is running or about to run.
func (a *Session) Busy() bool { return a.processor.Busy() }

// Drain stops accepting messages.
func (a *Session) Drain() { a.processor.Drain() }

// End cancels the running turn and shuts the agent down. It is called before the session is closed.
func (a *Session) End(ctx context.Context) error { return a.processor.Close(ctx) }

// Goal returns the state of the goal.
func (a *Session) Goal() event.Goal { return a.processor.Goal() }

// SetGoal sets the goal. An empty text drops it.
func (a *Session) SetGoal(text string) (event.Goal, error) { return a.processor.SetGoal(text) }

// ResumeGoal resumes a paused goal.
func (a *Session) ResumeGoal() error { return a.processor.ResumeGoal() }

// Approval returns which changes require the user's consent.
func (a *Session) Approval() event.Approval { return a.processor.Approval() }

// SetApproval sets which changes require consent, until the program exits.
func (a *Session) SetApproval(v event.Approval) error { return a.processor.SetApproval(v) }

// Usage returns the usage of the conversation and of the local day.
func (a *Session) Usage() (conversation, day event.Totals, err error) { return a.processor.Usage() }

// Context returns how many tokens the conversation last took of the model's window. Zero means unknown.
func (a *Session) Context() (tokens, window int) { return a.processor.Context() }

// Costs returns the usage of the vault by day and conversation.
func (a *Session) Costs() (event.Costs, error) { return a.processor.Costs() }

// Working reports whether a turn, a compaction or a review requested by the user is in progress.
func (a *Session) Working() bool { return a.processor.Working() }

// Finish cancels the running turn, keeping its message, and waits until ctx ends for the current background model
// call. It starts nothing new.
func (a *Session) Finish(ctx context.Context) { a.processor.Finish(ctx) }

// CatchUp runs the background work that turns left, and up to titles titles that earlier processes left, until ctx
// ends.
func (a *Session) CatchUp(ctx context.Context, titles int) {
	a.processor.CatchUp(titles)
	if err := a.processor.Settle(ctx); err != nil {
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

// Warnings returns the warnings collected since the last call, a line each.
func (a *Session) Warnings() []string { return a.warnings.take() }

// Log returns the vault's log.
func (a *Session) Log() *slog.Logger { return a.log.Logger }

// RecoverChange settles a change that a crash interrupted. It must run before anything is read.
func (a *Session) RecoverChange(ctx context.Context) { home.Recover(ctx, a.vault, a.warnings.add) }

// CrashReport writes a crash report to the state folder and returns a message with its path.
func (a *Session) CrashReport(version string, value any, stack []byte) string {
	name := "crash-" + time.Now().UTC().Format("20060102-150405") + ".txt"
	text := llm.Redact(fmt.Sprintf("chatvault %s\nThis may hold names; `chatvault doctor --report` prints a text to send, without them.\n\n%v\n\n%s", version, value, stack))
	if err := atomicfile.WriteFile(a.state, name, []byte(text), 0o600); err != nil {
		return "The report could not be written: " + err.Error()
	}
	return "Your messages are safe. A report is in " + filepath.Join(a.state.Name(), name) +
		"\nIt may hold names; `chatvault doctor --report` prints a text to send, without them"
}
