// Package approval shows the requests of the running turn: consent to a change, a key, a setting. One is shown at a
// time, oldest first. A request accepts no key but Esc in its first half second, Esc stops the turn, and a request
// whose answer was not accepted is shown again.
package approval

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// Screen is the chat screen behind the dialogs.
type Screen interface {
	// Flash shows a temporary message in the status line; Say appends to the transcript.
	Flash(text string, d time.Duration) tea.Cmd
	Say(it list.Item)
	// PushUnasked opens a dialog that the user did not ask for; Remove closes one.
	PushUnasked(d dialog.Dialog)
	Remove(d dialog.Dialog)
	// Writing reports whether the user is writing a text.
	Writing() bool
	// Stop stops the turn.
	Stop() tea.Cmd
}

// Answerer accepts answers. It returns an error if the request has ended or the answer is invalid.
type Answerer interface {
	Answer(id string, a event.Answer) error
}

// Requests holds the open requests, oldest first.
type Requests struct {
	Screen
	env    *chat.Env
	turn   Answerer
	open   []asking
	dialog dialog.Dialog // of the request shown, or nil
	shown  string        // the id of the request shown
}

// New returns an empty Requests.
func New(s Screen, env *chat.Env, turn Answerer) *Requests {
	return &Requests{Screen: s, env: env, turn: turn}
}

// Asking reports whether a request is shown.
func (r *Requests) Asking() bool { return r.dialog != nil }

// Shows reports whether a dialog belongs to a request.
func (r *Requests) Shows(d dialog.Dialog) bool { return r.dialog != nil && d == r.dialog }

// Open reports whether any request has not ended.
func (r *Requests) Open() bool { return len(r.open) > 0 }

// Next returns the oldest unanswered request.
func (r *Requests) Next() (event.Request, bool) {
	for _, x := range r.open {
		if !x.answered {
			return x.Request, true
		}
	}
	return event.Request{}, false
}

// asking is an open request. An answered one stays until the turn accepts the answer, so that it can be shown again
// if the answer is rejected.
type asking struct {
	event.Request
	answered bool
}

// Answer is the user's answer to a request.
type Answer struct {
	ID string
	event.Answer
}

// Requested queues a request and shows it if none is shown.
func (r *Requests) Requested(x event.Request) {
	r.open = append(r.open, asking{Request: x})
	r.show()
}

// show shows the oldest unanswered request if none is shown.
func (r *Requests) show() {
	next, ok := r.Next()
	if r.dialog != nil || !ok {
		return
	}
	r.dialog, r.shown = r.dialogOf(next), next.ID
	r.PushUnasked(r.dialog)
}

func (r *Requests) dialogOf(x event.Request) dialog.Dialog {
	if x.Kind == event.RequestApproval {
		return r.approval(x)
	}
	title := "A setting is needed: " + x.Name
	if x.Kind == event.RequestSecret {
		title = "A key is needed: " + x.Name
	}
	give := func(value string) any { return Answer{x.ID, event.Answer{Decision: event.Provide, Value: value}} }
	d := dialog.NewAsk(r.env.Styles, title, x.Text, x.Kind == event.RequestSecret, give, loop.Now(r.Stop),
		"Enter submits", "Esc stops")
	if r.Writing() {
		d.Aside()
	}
	return d
}

func (r *Requests) approval(x event.Request) dialog.Dialog {
	said := wordsOf(string(x.Change.Kind))
	what := dialog.Proposed{Request: x, Title: said.title}
	switch {
	case x.Change.Unread:
		what.Warning = "The agent has not read this note."
	case x.Change.Destructive:
		what.Warning = said.warning
	}
	decide := func(d event.Decision) Answer { return Answer{x.ID, event.Answer{Decision: d}} }
	choices := []dialog.Choice{
		{Key: "y", Label: "Allow once (y)", Result: decide(event.AllowOnce)},
		{Key: "a", Label: "Allow " + said.many + " for this conversation (a)", Short: "Allow " + said.many + " in this chat (a)", Result: decide(event.AllowConversation)},
		{Key: "n", Label: "Deny (n)", Result: decide(event.Deny), Safe: true},
		{Key: "r", Label: "Deny with a reason… (r)", Short: "Deny, why… (r)", Note: func(why string) any {
			return Answer{x.ID, event.Answer{Decision: event.Deny, Note: why}}
		}},
	}
	if x.Change.Kind == "use_tool" {
		always := dialog.Choice{Key: "f", Label: "Always allow this tool, until it changes (f)", Short: "Always allow (f)", Result: decide(event.AllowAlways)}
		choices = slices.Insert(choices, 2, always)
	}
	if x.Change.Pick {
		choices = slices.Insert(choices, 2, dialog.Choice{Key: "p", Label: "Choose parts… (p)", Pick: func(hunks []int) any {
			return Answer{x.ID, event.Answer{Decision: event.AllowOnce, Hunks: hunks}}
		}})
	}
	return dialog.NewApproval(r.env.Styles, what, choices, loop.Now(r.Stop), r.Writing())
}

// changeWords holds the wording for a kind of change.
type changeWords struct{ title, many, warning string }

var words = map[string]changeWords{
	"create":        {"Create this note?", "new notes", ""},
	"overwrite":     {"Overwrite this note?", "overwriting", "Removes more than half of it."},
	"edit":          {"Change this note?", "edits", "Removes more than half of it."},
	"update_links":  {"Update the links to what moves?", "updating links", ""},
	"move":          {"Move this?", "moves", ""},
	"delete":        {"Delete this?", "deletions", ""},
	"create_folder": {"Create this folder?", "new folders", ""},
	"use_tool":      {"Use this tool from another program?", "this tool", ""},
}

func wordsOf(kind string) changeWords {
	return cmp.Or(words[kind], changeWords{"Make this change?", "such changes", "It may remove text."})
}

// Answer submits the user's answer to the turn and shows the next request.
func (r *Requests) Answer(a Answer) tea.Cmd {
	if i := r.at(a.ID); i >= 0 {
		r.open[i].answered = true
	}
	r.hide(a.ID)
	return func() tea.Msg {
		if err := r.turn.Answer(a.ID, a.Answer); err != nil {
			return loop.Do(func() tea.Cmd { return r.reopen(a.ID, err) })
		}
		return nil
	}
}

// at returns the index of a request, or -1 if it has ended.
func (r *Requests) at(id string) int {
	return slices.IndexFunc(r.open, func(x asking) bool { return x.ID == id })
}

// reopen shows a request again after its answer was rejected, if it is still open.
func (r *Requests) reopen(id string, err error) tea.Cmd {
	i := r.at(id)
	if i < 0 {
		return nil
	}
	r.open[i].answered = false
	r.show()
	return r.Flash("Not accepted: "+err.Error()+".", 6*time.Second)
}

// Ended removes a request that was answered or withdrawn.
func (r *Requests) Ended(e event.RequestEnded) {
	if i := r.at(e.ID); i >= 0 {
		x := r.open[i]
		switch {
		case len(e.Hunks) > 0 && x.Change.Prose != nil:
			r.Say(chat.NewNotice(r.env, fmt.Sprintf("Accepted %d of %d parts of the change to %s.", len(e.Hunks), len(x.Change.Prose.Hunks), x.Change.Path)))
		case e.Decision == event.AllowAlways:
			r.Say(chat.NewNotice(r.env, "Always allowed until it changes: "+x.Change.Path+"."))
		case e.Decision == event.AllowConversation:
			r.Say(chat.NewNotice(r.env, "Allowed for this conversation: "+wordsOf(string(x.Change.Kind)).many+"."))
		}
		r.open = slices.Delete(slices.Clone(r.open), i, i+1)
	}
	r.hide(e.ID)
}

// hide closes a request's dialog if it is shown, and shows the next one.
func (r *Requests) hide(id string) {
	if r.dialog != nil && r.shown == id {
		r.Remove(r.dialog)
		r.dialog = nil
	}
	r.show()
}

// Withdraw closes all requests because the turn was stopped or has ended.
func (r *Requests) Withdraw() {
	if r.dialog != nil {
		r.Remove(r.dialog)
	}
	r.open, r.dialog, r.shown = nil, nil, ""
}

// Title returns an approval's title.
func Title(x event.Request) string { return wordsOf(string(x.Change.Kind)).title }
