package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
)

// requests are what the running turn waits for, oldest first. One is shown at a time.
type requests struct {
	open   []asking
	dialog dialog.Dialog // of the one that is shown; nil: none is
	shown  string        // its id
	parts  []partsTaken
}

// partsTaken is what is to be said of a change that was taken in part, once it was made.
type partsTaken struct{ tool, text string }

// asking is a request that has not ended. One that was answered stays until the turn took the
// answer: where it did not, it is shown again.
type asking struct {
	event.Request
	answered bool
	outdated bool // what it is about changed since on disk
}

// answer is what the user decided about a request.
type answer struct {
	id string
	event.Answer
}

// requested shows a request, or keeps it until those before it are decided.
func (m *Model) requested(r event.Request) {
	if m.turn.stopping {
		return // it is withdrawn in this moment
	}
	m.requests.open = append(m.requests.open, asking{Request: r})
	m.showRequest()
}

// showRequest shows the oldest request that is not answered, if none is shown. Each comes
// unasked: it takes no key in its first half second.
func (m *Model) showRequest() {
	if m.requests.dialog != nil {
		return
	}
	for _, r := range m.requests.open {
		if r.answered {
			continue
		}
		m.requests.dialog, m.requests.shown = m.requestDialog(r.Request), r.ID
		m.sayOutdated(r)
		m.dialogs.PushUnasked(m.requests.dialog, m.now())
		return
	}
}

func (m *Model) requestDialog(r event.Request) dialog.Dialog {
	denied := answer{r.ID, event.Answer{Decision: event.Deny}}
	if r.Kind == event.RequestApproval {
		return m.approvalDialog(r, denied)
	}
	title := "A setting is needed: " + r.Name
	if r.Kind == event.RequestSecret {
		title = "A key is needed: " + r.Name
	}
	give := func(value string) any { return answer{r.ID, event.Answer{Decision: event.Provide, Value: value}} }
	return dialog.NewAsk(m.styles, title, r.Text, r.Kind == event.RequestSecret, give, denied)
}

func (m *Model) approvalDialog(r event.Request, denied answer) dialog.Dialog {
	words := wordsOf(string(r.Change.Kind))
	what := dialog.Proposed{
		Title: words.title, Tool: r.Change.Tool, Path: r.Change.Path, NewPath: r.Change.NewPath,
		Detail: r.Change.Detail, Diff: r.Change.Diff, Prose: r.Change.Prose, Why: r.Text,
	}
	for _, l := range r.Change.Rewrites {
		what.Rewrites = append(what.Rewrites, dialog.Rewrite{Path: l.Path, Links: l.Links, Diff: l.Diff})
	}
	switch {
	case r.Change.Unread:
		what.Warning = "The agent has not read this note."
	case r.Change.Destructive:
		what.Warning = words.warning
	}
	allow := func(d event.Decision) answer { return answer{r.ID, event.Answer{Decision: d}} }
	choices := []dialog.Choice{
		{Label: "Allow once", Result: allow(event.AllowOnce)},
		{Label: "Allow " + words.many + " for this conversation", Short: "Allow " + words.many + " in this chat", Result: allow(event.AllowConversation)},
		{Label: "Deny", Result: denied, Safe: true},
		{Label: "Deny and say why…", Result: denied, Note: true},
	}
	if r.Change.Pick {
		pick := dialog.Choice{Label: fmt.Sprintf("Choose among its %d parts…", len(r.Change.Prose.Hunks)), Short: "Choose parts…", Result: allow(event.AllowOnce), Pick: true}
		choices = slices.Insert(choices, 2, pick)
	}
	d := dialog.NewApproval(m.styles, what, choices, denied, !m.composer.Empty())
	d.Clock(m.now)
	return d
}

// changeWords puts a kind of change into words.
type changeWords struct{ title, many, warning string }

func wordsOf(kind string) changeWords {
	switch kind {
	case "create":
		return changeWords{"Create this note?", "new notes", ""}
	case "overwrite":
		return changeWords{"Overwrite this note?", "overwriting", "More than half of it goes."}
	case "edit":
		return changeWords{"Change this note?", "edits", "More than half of it goes."}
	case "update_links":
		return changeWords{"Update the links to what moves?", "updating links", ""}
	case "move":
		return changeWords{"Move this?", "moves", ""}
	case "delete":
		return changeWords{"Delete this?", "deletions", ""}
	case "create_folder":
		return changeWords{"Create this folder?", "new folders", ""}
	}
	return changeWords{"Make this change?", "such changes", "It may take text away."}
}

// answer gives the turn what the user decided, and goes on to the next request.
func (m *Model) answer(a answer) tea.Cmd {
	for i := range m.requests.open {
		if m.requests.open[i].ID == a.id {
			m.requests.open[i].answered = true
		}
	}
	m.hideRequest(a.id)
	p := m.o.Processor
	return func() tea.Msg {
		if err := p.Answer(a.id, a.Answer); err != nil {
			return loop.Do(func() tea.Cmd { return m.refused(a.id, err) })
		}
		return nil
	}
}

// answerWith is answer for one with a note.
func (m *Model) answerWith(n dialog.Noted) tea.Cmd {
	a, ok := n.Result.(answer)
	if !ok {
		return nil
	}
	a.Note = n.Note
	return m.answer(a)
}

// answerPicked is answer for the parts of a change.
func (m *Model) answerPicked(p dialog.Picked) tea.Cmd {
	a, ok := p.Result.(answer)
	if !ok {
		return nil
	}
	a.Hunks = p.Hunks
	return m.answer(a)
}

// What an approval says whose note somebody changed: the tools make no such change.
const (
	outdated      = "Changed on disk since"
	outdatedMeans = "Allowing this changes nothing: the agent has to look again first."
)

// outdateRequests notes that a note changed on disk that a request may be about.
func (m *Model) outdateRequests(note string) {
	for i := range m.requests.open {
		r := &m.requests.open[i]
		if r.Kind == event.RequestApproval && concerns(r.Request, note) {
			r.outdated = true
			m.sayOutdated(*r)
		}
	}
}

// concerns says whether a change is made from what a note says, or from what lies at its path.
func concerns(r event.Request, note string) bool {
	c := r.Change
	if note == c.Path || strings.HasPrefix(note, c.Path+"/") || c.NewPath != "" && note == c.NewPath {
		return true
	}
	for _, l := range c.Rewrites {
		if l.Path == note {
			return true
		}
	}
	return false
}

// sayOutdated says so in the dialog of a request, where that is the one that is shown.
func (m *Model) sayOutdated(r asking) {
	if d, ok := m.requests.dialog.(*dialog.Approval); ok && r.outdated && m.requests.shown == r.ID {
		d.Outdate(outdated, outdatedMeans)
	}
}

// asking says that a request is shown.
func (m *Model) asking() bool { return m.requests.dialog != nil }

// refused shows a request again whose answer was not taken, if it waits still.
func (m *Model) refused(id string, err error) tea.Cmd {
	for i := range m.requests.open {
		if m.requests.open[i].ID == id {
			m.requests.open[i].answered = false
			m.showRequest()
			return m.flash("That was not taken: "+err.Error()+".", 3*quitWindow)
		}
	}
	return nil
}

// requestEnded takes a request away that was answered or withdrawn.
func (m *Model) requestEnded(e event.RequestEnded) {
	for i, r := range m.requests.open {
		if r.ID != e.ID {
			continue
		}
		if len(e.Hunks) > 0 && r.Change.Prose != nil {
			m.requests.parts = append(m.requests.parts, partsTaken{r.Change.Tool, takenText(len(e.Hunks), len(r.Change.Prose.Hunks), r.Change.Path)})
		}
		if e.Decision == event.AllowConversation {
			m.say(chat.NewNotice(m.env, "Allowed for this conversation: "+wordsOf(string(r.Change.Kind)).many+"."))
		}
		m.requests.open = append(m.requests.open[:i:i], m.requests.open[i+1:]...)
		break
	}
	m.hideRequest(e.ID)
}

func takenText(n, of int, path string) string {
	were := "were"
	if n == 1 {
		were = "was"
	}
	return fmt.Sprintf("%d of %d parts of the change of %s %s taken.", n, of, path, were)
}

// sayParts says which part of a change was taken when the tool that makes it ends, unless it
// failed: tools that write run one after another.
func (m *Model) sayParts(e event.ToolFinished) {
	for i, p := range m.requests.parts {
		if p.tool != e.Name {
			continue
		}
		m.requests.parts = slices.Delete(m.requests.parts, i, i+1)
		if !e.IsError {
			m.say(chat.NewNotice(m.env, p.text))
		}
		return
	}
}

// hideRequest closes the dialog of a request, if it is the one that is shown, and shows the next.
func (m *Model) hideRequest(id string) {
	if m.requests.dialog != nil && m.requests.shown == id {
		m.dialogs.Remove(m.requests.dialog)
		m.requests.dialog = nil
	}
	m.showRequest()
}

// withdrawRequests closes what the turn asked: it is being stopped, or it is over.
func (m *Model) withdrawRequests() {
	if m.requests.dialog != nil {
		m.dialogs.Remove(m.requests.dialog)
	}
	m.requests = requests{}
}
