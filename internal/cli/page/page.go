// Package page prints a conversation for a person, with styles on a terminal.
package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/session"
	"chatvault/internal/session/export"
	"chatvault/internal/terminal/output"
	"chatvault/internal/text"
)

// maxTextWidth is the maximum width of text, in cells.
const maxTextWidth = 100

// minTextWidth is the minimum width of text, in cells.
const minTextWidth = 10

// Page is a printed conversation. All messages are indented, so that none can imitate a heading.
type Page struct {
	strings.Builder
	out   *output.Writer
	ink   Ink
	width int       // wrap width; zero for a pipe, where lines are not wrapped
	day   time.Time // of the previous heading
	aside bool      // the previous line is of what happened between a message and its answer
}

// New returns an empty page for out.
func New(out *output.Writer, ink Ink) *Page {
	p := &Page{out: out, ink: ink}
	if out.IsTerminal() {
		p.width = min(out.Width(), maxTextWidth)
	}
	return p
}

const (
	setIn     = "  "
	forkLabel = "⑂ "
)

// Conversation writes a whole conversation.
func (p *Page) Conversation(t export.Path, active bool) {
	p.lines("", session.TitleOf(t.Entry()), p.ink.Bold)
	p.lines("", strings.Join(append([]string{t.ID}, t.Facts(active)...), ", "), p.ink.dim)
	if t.Summary != "" {
		p.gap()
		p.lines(setIn, t.Summary, nil)
	}
	p.forks(t, 0)
	for i := range t.Turns {
		for _, item := range session.TurnItems(&t.Turns[i], true) {
			p.item(item)
		}
		if c := t.Compaction; t.Branch == 0 && i+1 == t.Compacted() {
			p.item(session.HistoryItem{Role: session.HistorySummary, Content: c.Summary, Time: c.Time})
		}
		p.forks(t, i+1)
	}
	if q := t.PendingQuestion(); q != nil && active && t.Branch == 0 {
		p.gap()
		p.lines("", "It waits for your answer: chatvault ask -c \"…\"", nil)
	}
}

// forks mentions the branches that leave the active path after a number of turns, and where the shown one does.
func (p *Page) forks(t export.Path, after int) {
	if t.Branch > 0 {
		if after == t.Shared {
			p.gap()
			p.lines(forkLabel, fmt.Sprintf("From here on it is branch %d, left when a message was edited.", t.Branch), p.ink.dim)
		}
		return
	}
	for i, b := range t.Branches {
		if export.AfterTurn(t.Turns, b.Fork) == after {
			p.gap()
			p.lines(forkLabel, fmt.Sprintf("Branch %d leaves here (%s, left %s): chatvault conversations show %s --branch %d",
				i+1, text.Count(len(b.Turns), "turn"), b.Ended.Local().Format(export.WhenLayout), t.ID, i+1), p.ink.dim)
		}
	}
}

// item writes a history item.
func (p *Page) item(item session.HistoryItem) {
	switch item.Role {
	case session.HistoryUser, session.HistoryGoal, session.HistoryAssistant:
		p.heading(item.Time, strings.ToLower(session.SpeakerOf(item)))
		p.lines(setIn, item.Content, nil)
	case session.HistoryAgentMessage:
		p.activity("• ", item.Content)
	case session.HistoryQuestion:
		p.activity("? ", item.Content+session.OptionLines(item.Options))
	case session.HistoryTool:
		call, result := session.ToolWords(item)
		p.activity("→ ", strings.TrimSuffix(call+": "+result, ": "))
	case session.HistorySummary:
		p.gap()
		p.lines("", "— What is above was summarised for the model ("+item.Time.Local().Format(export.WhenLayout)+"):", p.ink.dim)
		p.lines(setIn, item.Content, p.ink.dim)
	case session.HistoryError:
		p.activity("✗ ", "This turn failed: "+item.Content)
	default:
		p.activity("– ", item.Content)
	}
}

// activity writes what happened between a message and its answer.
func (p *Page) activity(mark, text string) {
	if !p.aside {
		p.gap()
	}
	p.lines(setIn+mark, text, nil)
	p.aside = true
}

// heading writes a speaker and the time, with the date if it has changed.
func (p *Page) heading(when time.Time, who string) {
	p.gap()
	when = when.Local()
	layout := "15:04"
	if !export.SameDay(when, p.day) {
		layout = export.WhenLayout
	}
	p.day = when
	p.lines("", when.Format(layout)+"  "+who, p.ink.Bold)
}

// gap writes an empty line.
func (p *Page) gap() {
	p.aside = false
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}

// lines writes text with a label before the first line; the others are aligned with it.
func (p *Page) lines(label, text string, style func(string) string) {
	text = p.out.Text(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"))
	below := strings.Repeat(" ", ansi.StringWidth(label))
	if p.width > 0 {
		text = ansi.Wrap(text, max(p.width-len(below), minTextWidth), "")
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimRight(line, " "); line != "" {
			if style != nil {
				line = style(line)
			}
			p.WriteString(label + line)
		}
		p.WriteByte('\n')
		label = below
	}
}
