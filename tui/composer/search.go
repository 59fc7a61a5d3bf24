package composer

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
)

// history holds sent messages, oldest first.
type history struct {
	texts  []string
	at     int // index in texts; len(texts) is the draft
	draft  string
	search search
}

// search is an incremental search of the history, which does not change the text.
type search struct {
	on    bool
	query string
	at    int // index of the match in the history, or -1
}

// Searching reports whether a search is active.
func (h *history) Searching() bool { return h.search.on }

// Search starts a search, or continues it with older messages.
func (h *history) Search() {
	if !h.search.on {
		h.search = search{on: true, at: -1}
		h.seek(len(h.texts))
		return
	}
	if h.search.at >= 0 {
		h.seek(h.search.at)
	}
}

// LeaveSearch ends the search and leaves the text unchanged.
func (h *history) LeaveSearch() { h.search = search{} }

// holds reports whether an entry matches the query and differs from the current match.
func (h *history) holds(at int) bool {
	text, shown := h.texts[at], h.search.at
	return (shown < 0 || text != h.texts[shown]) && strings.Contains(strings.ToLower(text), strings.ToLower(h.search.query))
}

// seek finds the newest match before an index. If there is none, the current match remains.
func (h *history) seek(before int) {
	for i := before - 1; i >= 0; i-- {
		if h.holds(i) {
			h.search.at = i
			return
		}
	}
}

// seekBack finds the next newer match.
func (h *history) seekBack() {
	for i := h.search.at + 1; h.search.at >= 0 && i < len(h.texts); i++ {
		if h.holds(i) {
			h.search.at = i
			return
		}
	}
}

// searchKey handles a key during a search. It returns false if the key ended the search and must still be handled.
func (m *Model) searchKey(k tea.KeyPressMsg) bool {
	if text, ok := keys.Text(k); ok {
		m.lookFor(m.search.query + strings.ReplaceAll(clean(text), "\n", " "))
		return true
	}
	switch on := &m.keys; {
	case keys.Matches(k, on.Backspace):
		if m.search.query == "" {
			return true
		}
		_, n := utf8.DecodeLastRuneInString(m.search.query)
		m.lookFor(m.search.query[:len(m.search.query)-n])
	case keys.Matches(k, on.DeleteWordLeft, on.KillLeft):
		m.lookFor("")
	case keys.Matches(k, on.Up, on.Search):
		m.Search()
	case keys.Matches(k, on.Down):
		m.seekBack()
	default:
		m.TakeFound()
		return false
	}
	return true
}

// lookFor starts over with another query, from the newest entry.
func (h *history) lookFor(query string) {
	h.search.query, h.search.at = query, -1
	h.seek(len(h.texts))
}

// TakeFound ends the search and replaces the text by the match, if any.
func (m *Model) TakeFound() {
	at := m.search.at
	m.LeaveSearch()
	if at < 0 {
		return
	}
	if m.at >= len(m.texts) {
		m.draft = m.Value()
	}
	m.at = at
	m.SetValue(m.texts[at])
}

// maxFoundRows is the number of rows shown of a match.
const maxFoundRows = 5

// searchLines draws the query and the match.
func (m *Model) searchLines() []string {
	s, width := m.styles, m.textWidth()
	query := m.search.query
	if room := width - 2; ansi.StringWidth(query) > room {
		query = "…" + ansi.TruncateLeft(query, ansi.StringWidth(query)-room+1, "")
	}
	head := s.AccentBold.Render(searchPrompt) + query + m.cursor() + " "
	if query == "" {
		head += s.Muted.Render(ansi.Truncate("Search what you sent", max(width-3, 0), ""))
	}
	out := []string{head}
	if m.search.at < 0 {
		return append(out, "  "+s.Muted.Render(ansi.Truncate("No matches", width, "…")))
	}
	text := m.texts[m.search.at]
	rows := 0
	for line := range strings.SplitSeq(text, "\n") {
		if rows++; rows > max(min(m.limit-1, maxFoundRows), 1) {
			break
		}
		line = shownTabs(line)
		if from, to := foldedIndex(line, m.search.query); to > from {
			if over := ansi.StringWidth(line[:to]) - width + 1; over > 0 { // keeps the match visible
				cut := ansi.TruncateLeft(line, over+3, "…")
				from, to = foldedIndex(cut, m.search.query)
				line = cut
			}
			line = line[:from] + s.AccentBold.Render(line[from:to]) + line[to:]
		}
		out = append(out, "  "+ansi.Truncate(line, width, "…"))
	}
	return out
}

// foldedIndex returns the range of a case-insensitive match. to equals from if there is none or if lower case changes
// the length.
func foldedIndex(text, part string) (from, to int) {
	lower, part := strings.ToLower(text), strings.ToLower(part)
	if from = strings.Index(lower, part); from < 0 || len(lower) != len(text) {
		return 0, 0
	}
	return from, from + len(part)
}
