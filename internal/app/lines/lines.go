// Package lines is the chat for screen readers, braille displays and pipes: it reads and writes lines in
// chronological order, without redrawing and without moving the cursor.
package lines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/consent"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal/output"
	"chatvault/internal/base/text"
)

// lines is a line chat. Its messages are handled as on the screen: they are durable first, are queued while a turn is
// running, and never lost.
type lines struct {
	o     Options
	print *linePrinter
	in    *lineInput
	keys  *consent.Input // hides secret input

	typed    entry
	state    session.State
	stopping bool
	request  lineRequest // the one shown
	views    printed.Views
	draft    string // of an earlier run
	ended    bool   // the input ended
	left     bool   // by a command
	stopped  time.Time
}

// again is how soon a second Ctrl+C must follow to quit.
const again = 2 * time.Second

// Run runs the chat until the user quits or ctx ends.
func Run(ctx context.Context, o Options) {
	l := &lines{o: o, print: &linePrinter{out: o.Out}, in: newLineInput(o.In, !o.Typed), keys: consent.NewInput(o.In)}
	l.views = l.newViews()
	defer l.keys.Restore()
	events := o.Subscribe()
	defer events.Close()
	l.begin(ctx)
	l.run(ctx, events)
	l.draft = strings.TrimSpace(strings.Join([]string{l.draft, l.typed.text()}, "\n"))
	o.Drafts.Save(l.draft)
	if l.print.prompted {
		l.print.raw("\n")
	}
	if l.draft != "" {
		l.print.say("What was not sent is kept as a draft.")
	}
	if o.Busy() {
		l.print.say("A turn was running. Its message is kept, and offered at the next start.")
	}
}

// begin prints the vault and the model, and offers unfinished messages.
func (l *lines) begin(ctx context.Context) {
	vault := l.o.Vault()
	if l.o.ReadOnly() {
		vault += " (read-only)"
	}
	name, embedded := l.o.Provider()
	l.print.say(fmt.Sprintf("chatvault: vault %s, model %s. Type a message and press Enter; /help lists the commands.", vault, name))
	if embedded {
		does, add := session.WithoutModel(l.o.Models, l.o.ReadOnly(), "")
		l.print.say(does + "\n" + add)
	}
	got, err := l.o.Load(ctx)
	if err != nil && ctx.Err() == nil {
		l.print.say("Error: the conversation so far could not be read: " + err.Error())
	}
	l.state = session.Opened(got)
	l.state.Provider = name
	for _, n := range got.Notices {
		l.print.say("Note: " + n)
	}
	if len(got.Items) > 0 {
		l.print.say("The conversation continues. /conversations read 1 shows it; it ended with:")
		l.views.History(got.Items, 1)
	}
	l.views.Offer(got.Unfinished)
	if l.draft = got.Draft; l.draft != "" {
		l.print.say("A draft was saved: " + l.draft + "\n/draft sends it, /draft drop deletes it.")
	}
}

// run handles input and events until the user quits.
func (l *lines) run(ctx context.Context, sub *event.Subscription) {
	events := make(chan []event.Event)
	done, stop := context.WithCancel(ctx)
	defer stop()
	routine.Go("line events", func() {
		defer close(events)
		for {
			got, err := sub.Next(done)
			if err != nil {
				return
			}
			select {
			case events <- got:
			case <-done.Done():
				return
			}
		}
	})
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, syscall.SIGINT)
	defer signal.Stop(interrupts)
	look := time.NewTicker(500 * time.Millisecond) // the next turn of a goal is not announced
	defer look.Stop()
	for !l.left && (!l.ended || !l.idle() || l.state.Reviewing || l.o.Working()) {
		l.ready()
		select {
		case got, open := <-events:
			if !open {
				return
			}
			for _, e := range got {
				l.event(e)
			}
		case line := <-l.in.lines:
			l.in.asked = false
			l.line(ctx, line)
		case <-interrupts:
			l.interrupted()
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// idle reports whether nothing is running and no request is open.
func (l *lines) idle() bool { return !l.state.Busy() && len(l.state.Requests) == 0 && !l.o.GoesOn() }

// ready prints a prompt if input is expected, and requests a line.
func (l *lines) ready() {
	l.askRequest()
	if l.ended {
		if l.request.shown() { // no answer can come
			l.print.echo("", false)
			l.answer(event.Answer{Decision: event.Deny})
		}
		return
	}
	var text string
	switch {
	case l.request.shown():
		text = l.request.Prompt()
	case l.typed.open && !l.state.Turn.Running:
		text = "More: "
	case l.idle() && l.state.Question.Asked:
		text = "Answer: "
	case l.idle():
		text = "You: "
	default:
		return
	}
	if !l.print.prompted {
		l.print.prompt(text)
	}
	l.in.next()
}

// line handles a line of input.
func (l *lines) line(ctx context.Context, got typedLine) {
	asked := l.request.shown() && (l.in.pulls || got.at.Sub(l.request.since) >= consent.Settle)
	secret := asked && l.request.Kind == event.RequestSecret
	if got.err != nil {
		l.ended = true
		if !errors.Is(got.err, io.EOF) {
			l.print.say("Error: " + got.err.Error())
		}
		if !l.in.pulls { // the user pressed Ctrl+D: an unterminated line was not sent
			l.typed.lines, l.left = append(l.typed.lines, got.text), true
			return
		}
		if got.text == "" {
			return
		}
	}
	shown := got.text
	if secret {
		shown = ""
	}
	l.print.echo(shown, !l.in.pulls && !secret)
	switch {
	case asked:
		l.answerRequest(got.text)
		return
	case !l.typed.open && strings.TrimSpace(got.text) == "":
		return
	}
	message, done := l.typed.add(got.text)
	if l.ended && !done {
		message, done = l.typed.take(), true
	}
	if !done || strings.TrimSpace(message) == "" {
		return
	}
	if l.typedCommand(ctx, message) {
		return
	}
	l.send(ctx, event.Inbound{Text: strings.TrimLeft(message, " ")})
}

// send submits a message. It is durable once accepted.
func (l *lines) send(ctx context.Context, in event.Inbound) {
	if q := l.state.Question; q.Asked && len(l.state.Pending) == 0 && event.NoOption(in.Text, q.Options) {
		l.print.say("There is no option with that number.")
		return
	}
	l.o.Prompts.Append(in.Text)
	in.Source = event.SourceDirect
	in.Attach = l.attachments(ctx, in.Text)
	got, err := l.o.Submit(ctx, in)
	if err != nil {
		l.print.say("Error: not sent: " + err.Error() + "\nThe text is kept: /draft sends it.")
		l.draft = strings.TrimSpace(l.draft + "\n" + in.Text)
		return
	}
	l.state.Submitted(got)
}

// event prints an event and updates the state.
func (l *lines) event(e event.Event) {
	l.print.event(&l.state, e)
	l.state.Apply(e)
	switch e.(type) {
	case event.TurnStarted, event.TurnFinished, event.TurnStopped, event.TurnFailed, event.RetrospectionEnded:
		l.stopping = false
	}
	if l.request.shown() && !slices.ContainsFunc(l.state.Requests, func(r event.Request) bool { return r.ID == l.request.ID }) {
		l.hideRequest()
	}
}

// interrupted handles Ctrl+C: it stops what is running. Without anything running, or twice, it quits.
func (l *lines) interrupted() {
	soon := time.Since(l.stopped) <= again
	l.stopped = time.Now()
	switch {
	case soon:
		l.left = true
	case l.state.Turn.Running && !l.stopping, len(l.state.Pending) > 0, l.state.Reviewing:
		l.stop()
	default:
		l.print.say("Press Ctrl+C again to leave.")
	}
}

func (l *lines) stop() {
	l.stopping = true
	l.hideRequest()
	l.print.say("Stopping…")
	l.o.Stop()
}

// block prints a block.
func (l *lines) block(b printed.Block) {
	l.print.say(text.Join("\n", b.Head, text.Join("\n", slices.Clone(b.Rows)...), b.Whole, b.Foot))
}

// attachments returns the paths of the existing files and folders that a message mentions with @, and prints them.
func (l *lines) attachments(ctx context.Context, message string) []string {
	files, err := l.o.Attached(ctx, message)
	if err != nil && ctx.Err() == nil {
		l.print.say("Nothing attached: " + err.Error())
	}
	paths := text.Of(files, func(f session.VaultFile) string { return f.Path })
	if len(paths) > 0 {
		l.print.say("Attached: " + strings.Join(paths, ", ") + ".")
	}
	return paths
}

// Options configure the chat. Without Copy, /copy is not available.
type Options struct {
	In    io.Reader
	Typed bool // In is a terminal
	Out   *output.Writer

	*session.Session
	// Copy copies a text to the clipboard.
	Copy func(ctx context.Context, text string) (session.Copied, error)

	// Attached returns the files and folders that a message mentions with @.
	Attached func(ctx context.Context, message string) ([]session.VaultFile, error)
	// LastCode returns the last code block of a Markdown text, or "".
	LastCode func(markdown string) string
	// Commands is the table of all commands.
	Commands []session.Command
}
