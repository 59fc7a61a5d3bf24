package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
)

// copiedMsg says what became of a text, and what it was.
type copiedMsg struct {
	what string
	session.Copied
	err error
}

// errNothing says that there is no text to copy.
var errNothing = errors.New("it is empty")

// copyText copies a text; what names it: "the answer".
func (m *Model) copyText(what, text string) tea.Cmd {
	return m.copyFrom(what, func(context.Context) (string, error) { return text, nil })
}

// copyFrom copies what text gives.
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
			return copiedMsg{what: what, err: errNothing}
		}
		c, err := put.Copy(ctx, got)
		return copiedMsg{what: what + counts(got), Copied: c, err: err}
	}
}

// counts is how long a copied text is, to be told: nothing of a single line.
func counts(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", %d lines", n)
}

// copied tells what became of a text. A file is named in full: where there is no room for that in
// the status line, at the end of what was said.
func (m *Model) copied(msg copiedMsg) tea.Cmd {
	texts, settled := copiedTexts(msg)
	if settled {
		return m.flash(texts[0], 2*quitWindow)
	}
	for _, text := range texts {
		if len(markdown.Wrap(terminal.Line(text), "", max(m.lay.Width, 1))) <= maxHint {
			return m.flash(text, 10*quitWindow)
		}
	}
	m.say(chat.NewNotice(m.env, texts[0]))
	return m.flash("The last line of the conversation says where it is", 3*quitWindow)
}

// copiedTexts put it into words, the longest way first; settled says that there is nothing the user
// has to do.
func copiedTexts(msg copiedMsg) (texts []string, settled bool) {
	file := phrase.Line(msg.File)
	switch {
	case msg.err != nil:
		return []string{"Not copied: " + msg.err.Error()}, false
	case msg.By == "tmux":
		return []string{"Copied to tmux (prefix ] pastes it): " + msg.what}, true
	case msg.By != "":
		return []string{"Copied: " + msg.what}, true
	case msg.Sent && file == "":
		return []string{"Sent to the terminal's clipboard (OSC 52), which does not confirm it: " + msg.what}, false
	case msg.Sent:
		return []string{"Sent to the terminal's clipboard (OSC 52); if that fails, it is in " + file, "Sent by OSC 52; else it is in " + file}, false
	case msg.TooLong:
		return []string{"Too long for the terminal's clipboard; it is in " + file, "Too long to send; it is in " + file}, false
	}
	return []string{"No clipboard found; it is in " + file, "It is in " + file}, false
}

// copyLast is /copy: the last answer.
func (m *Model) copyLast() tea.Cmd {
	var last *chat.Assistant
	selection.BackTo(m.list, func(it list.Item) bool {
		a, ok := it.(*chat.Assistant)
		if ok && !a.Empty() {
			last = a
		}
		return last != nil
	})
	if last == nil {
		return m.flash("No answer to copy here", quitWindow)
	}
	text, _ := last.Raw()
	return m.copyText("the last answer", text)
}

// copyCommand is /copy with words after it: "code", the last block of code; "all", the
// conversation.
func (m *Model) copyCommand(words string) tea.Cmd {
	switch strings.ToLower(words) {
	case "code":
		return m.copyLastCode()
	case "all":
		if m.o.Conversation == nil {
			return m.flash("The conversation cannot be copied here", quitWindow)
		}
		return m.copyFrom("the conversation", m.o.Conversation.Transcript)
	case "answer":
		return m.copyLast()
	}
	return m.flash("/copy copies the last answer, /copy code its last code block, /copy all the conversation", 3*quitWindow)
}

// copyLastCode copies the last block of code that the agent wrote.
func (m *Model) copyLastCode() tea.Cmd {
	var code []markdown.Code
	selection.BackTo(m.list, func(it list.Item) bool {
		switch it.(type) {
		case *chat.Assistant, *chat.Message:
			text, _ := it.(chat.Sourced).Raw()
			code = markdown.CodeBlocks(text)
		}
		return len(code) > 0
	})
	if len(code) == 0 {
		return m.flash("No answer here has a code block", quitWindow)
	}
	last := code[len(code)-1]
	return m.copyText("the last code block"+inLanguage(last), last.Text)
}

// inLanguage says what a block of code is in, where that is known.
func inLanguage(c markdown.Code) string {
	if c.Language == "" {
		return ""
	}
	return " (" + phrase.Line(phrase.Head(c.Language, 40)) + ")"
}
