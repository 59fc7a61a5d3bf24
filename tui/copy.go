package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
)

// copiedMsg is the result of copying; what names the text.
type copiedMsg struct {
	what string
	session.Copied
	err error
}

// copyText copies a text; what names it, for example "the answer".
func (m *Model) copyText(what, text string) tea.Cmd {
	return m.copyFrom(what, func(context.Context) (string, error) { return text, nil })
}

// copyFrom copies the result of text.
func (m *Model) copyFrom(what string, text func(context.Context) (string, error)) tea.Cmd {
	ctx, put := m.ctx, m.o.Copying
	if put == nil {
		return m.flash("Nothing can be copied here", quitWindow)
	}
	return func() tea.Msg {
		got, err := text(ctx)
		if err != nil {
			return copiedMsg{what: what, err: err}
		}
		if strings.TrimSpace(got) == "" {
			return copiedMsg{what: what, err: errors.New("it is empty")}
		}
		to, err := put.Copy(ctx, got)
		return copiedMsg{what: what, Copied: to, err: err}
	}
}

// copied shows the result. The full path of a file is in the transcript.
func (m *Model) copied(msg copiedMsg) tea.Cmd {
	if msg.err == nil && msg.File != "" {
		m.appendItem(chat.NewNotice(m.env, copiedText(msg)))
		return m.flash("The last line of the conversation says where it is", 3*quitWindow)
	}
	return m.flash(copiedText(msg), 2*quitWindow)
}

// copiedText returns the message about a copied text.
func copiedText(msg copiedMsg) string {
	file := phrase.Line(msg.File)
	switch {
	case msg.err != nil:
		return "Not copied: " + msg.err.Error()
	case msg.By == "tmux":
		return "Copied to tmux (prefix ] pastes it): " + msg.what
	case msg.By != "":
		return "Copied: " + msg.what
	case msg.Sent && file == "":
		return "Sent to the terminal's clipboard (OSC 52), which does not confirm it: " + msg.what
	case msg.Sent:
		return "Sent to the terminal's clipboard (OSC 52); if that fails, it is in " + file
	}
	return "No clipboard took it; it is in " + file
}

// copyCommand handles /copy: without an argument it copies the agent's last text, "code" is its last code block, "all" the
// conversation.
func (m *Model) copyCommand(words string) tea.Cmd {
	switch words = strings.ToLower(words); {
	case words == "" || words == "answer":
		if said := m.lastSaid(func(text string) bool { return text != "" }); said != "" {
			return m.copyText("the last answer", said)
		}
		return m.flash("No answer to copy here", quitWindow)
	case words == "code":
		code := markdown.CodeBlocks(m.lastSaid(func(text string) bool { return len(markdown.CodeBlocks(text)) > 0 }))
		if len(code) == 0 {
			return m.flash("No answer here has a code block", quitWindow)
		}
		return m.copyText("the last code block", code[len(code)-1].Text)
	case words == "all" && m.o.Conversation != nil:
		return m.copyFrom("the conversation", m.o.Conversation.Transcript)
	}
	return m.flash("/copy copies the last answer, /copy code its last code block, /copy all the conversation", 3*quitWindow)
}

// lastSaid returns the newest text of the agent that is wanted, or an empty string.
func (m *Model) lastSaid(wanted func(text string) bool) (said string) {
	selection.BackTo(m.list, func(it list.Item) bool {
		switch it.(type) {
		case *chat.Assistant, *chat.Message:
			if text := it.(chat.Sourced).Raw(); wanted(text) {
				said = text
			}
		}
		return said != ""
	})
	return said
}
