package tui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
)

// requests shows the open requests of the running turn, oldest first: consent to a change, a key, a setting. One is
// shown at a time. It accepts no key but Esc in its first half second, Esc stops the turn, and it is shown again if
// its answer was not accepted.
type requests struct {
	*shared
	stop     func() tea.Cmd  // stops the turn
	answered map[string]bool // by id; open until the turn accepts the answer
	dialog   dialog.Dialog   // of the request shown, or nil
	shown    string          // the id of the request shown
}

// asks reports whether a request is shown.
func (r *requests) asks() bool { return r.dialog != nil }

// next returns the oldest unanswered request.
func (r *requests) next() (event.Request, bool) {
	for _, x := range r.state.Requests {
		if !r.answered[x.ID] {
			return x, true
		}
	}
	return event.Request{}, false
}

// show shows the oldest unanswered request if none is shown.
func (r *requests) show() {
	next, ok := r.next()
	if r.dialog != nil || !ok {
		return
	}
	r.dialog, r.shown = r.dialogOf(next), next.ID
	r.dialogs.PushUnasked(r.dialog, r.now())
}

func (r *requests) dialogOf(x event.Request) dialog.Dialog {
	if x.Kind == event.RequestApproval {
		return r.approval(x)
	}
	title := "A setting is needed: " + x.Name
	if x.Kind == event.RequestSecret {
		title = "A key is needed: " + x.Name
	}
	give := func(value string) any { return r.decide(x, event.Answer{Decision: event.Provide, Value: value}) }
	d := dialog.NewAsk(r.styles, title, x.Text, x.Kind == event.RequestSecret, give, loop.Do(r.stop),
		"Enter submits", "Esc stops")
	if !r.composer.Empty() {
		d.Aside()
	}
	return d
}

func (r *requests) approval(x event.Request) dialog.Dialog {
	said := wordsOf(string(x.Change.Kind))
	if x.Change.Many() {
		said.title, said.warning = "Change these notes?", "Removes more than half of one of them."
	}
	what := dialog.Proposed{Request: x, Title: said.title}
	switch {
	case x.Change.Unread:
		what.Warning = "The agent has not read this note."
	case x.Change.Destructive:
		what.Warning = said.warning
	}
	decide := func(d event.Decision) loop.Do { return r.decide(x, event.Answer{Decision: d}) }
	choices := []dialog.Choice{
		{Key: "y", Label: "Allow once (y)", Result: decide(event.AllowOnce)},
		{Key: "a", Label: "Allow " + said.many + " in this chat (a)", Result: decide(event.AllowConversation)},
		{Key: "n", Label: "Deny (n)", Result: decide(event.Deny), Safe: true},
		{Key: "r", Label: "Deny, why… (r)", Note: func(why string) any {
			return r.decide(x, event.Answer{Decision: event.Deny, Note: why})
		}},
	}
	if x.Change.Kind == "use_tool" {
		always := dialog.Choice{Key: "f", Label: "Always allow until it changes (f)", Result: decide(event.AllowAlways)}
		choices = slices.Insert(choices, 2, always)
	}
	if x.Change.Pick {
		choices = slices.Insert(choices, 2, dialog.Choice{Key: "p", Label: "Choose parts… (p)", Pick: func(hunks []int) any {
			return r.decide(x, event.Answer{Decision: event.AllowOnce, Hunks: hunks})
		}})
	}
	return dialog.NewApproval(r.styles, what, choices, loop.Do(r.stop), !r.composer.Empty())
}

// changeWords holds the wording for a kind of change.
type changeWords struct{ title, many, warning string }

var changeTexts = map[string]changeWords{
	"create":        {"Create this note?", "new notes", ""},
	"overwrite":     {"Overwrite this note?", "overwriting", "Removes more than half of it."},
	"edit":          {"Change this note?", "edits", "Removes more than half of it."},
	"move":          {"Move this?", "moves", ""},
	"delete":        {"Delete this?", "deletions", ""},
	"create_folder": {"Create this folder?", "new folders", ""},
	"use_tool":      {"Use this tool from another program?", "this tool", ""},
}

func wordsOf(kind string) changeWords {
	return cmp.Or(changeTexts[kind], changeWords{"Make this change?", "such changes", "It may remove text."})
}

// decide returns a loop.Do that answers a request and shows the next one.
func (r *requests) decide(x event.Request, a event.Answer) loop.Do {
	return func() tea.Cmd {
		r.answered[x.ID] = true
		r.hide(x.ID)
		return func() tea.Msg {
			if err := r.o.Processor.Answer(x.ID, a); err != nil {
				return loop.Do(func() tea.Cmd { return r.reopen(x.ID, err) })
			}
			return nil
		}
	}
}

// reopen shows a request again after its answer was rejected, if it is still open.
func (r *requests) reopen(id string, err error) tea.Cmd {
	if !slices.ContainsFunc(r.state.Requests, func(x event.Request) bool { return x.ID == id }) {
		return nil
	}
	delete(r.answered, id)
	r.show()
	return r.flash("Not accepted: "+err.Error()+".", 3*quitWindow)
}

// ended reports the answer to a request and closes it. open are the requests that were open before.
func (r *requests) ended(e event.RequestEnded, open []event.Request) {
	if i := slices.IndexFunc(open, func(x event.Request) bool { return x.ID == e.ID }); i >= 0 {
		switch x := open[i]; {
		case len(e.Hunks) > 0 && x.Change.Prose != nil:
			r.appendItem(chat.NewNotice(r.env, fmt.Sprintf("Accepted %d of %d parts of the change to %s.", len(e.Hunks), len(x.Change.Prose.Hunks), x.Change.Path)))
		case e.Decision == event.AllowAlways:
			r.appendItem(chat.NewNotice(r.env, "Always allowed until it changes: "+x.Change.Path+"."))
		case e.Decision == event.AllowConversation:
			r.appendItem(chat.NewNotice(r.env, "Allowed for this conversation: "+wordsOf(string(x.Change.Kind)).many+"."))
		}
	}
	r.hide(e.ID)
}

// hide closes a request's dialog if it is shown, and shows the next one.
func (r *requests) hide(id string) {
	if r.dialog != nil && r.shown == id {
		r.dialogs.Remove(r.dialog)
		r.dialog = nil
	}
	r.show()
}

// withdraw closes all requests because the turn was stopped or has ended.
func (r *requests) withdraw() {
	if r.dialog != nil {
		r.dialogs.Remove(r.dialog)
	}
	r.state.Requests, r.dialog, r.shown, r.answered = nil, nil, "", map[string]bool{}
}
