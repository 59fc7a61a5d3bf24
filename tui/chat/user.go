package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Limits on the part shown of a long message, folded and unfolded. It is always sent whole.
const (
	maxUserLines  = 12
	maxUserBytes  = 4 << 10
	maxWholeLines = 2000
	maxWholeBytes = 64 << 10
)

// User is a message typed by the user or routed from another program.
type User struct {
	text   string
	id     string   // message id; empty until it is stored
	label  string   // source, if not typed here
	tag    string   // purpose, if not an ordinary request
	added  bool     // it joined a running turn
	failed string   // why sending failed
	shows  []string // attached pictures and documents
	// pending: not stored yet
	pending bool
	dated
	opens
	card
}

// On a wide screen the time stands at the right of a long message.
const (
	whenRoom  = 14 // in cells
	whenWidth = 60 // of the screen
)

// NewUser returns an item for the text of a message; label names the source if it was not typed here.
func NewUser(env *Env, text, label string) *User {
	return &User{card: card{env: env}, text: text, label: terminal.Line(label)}
}

// Fail marks the message as not sent.
func (u *User) Fail(why string) {
	u.failed, u.pending = terminal.Line(why), false
	u.touch()
}

// Added marks a message that joined a running turn.
func (u *User) Added() {
	u.added = true
	u.touch()
}

// Shows lists the attached pictures and documents.
func (u *User) Shows(lines []string) {
	u.shows = lines
	u.touch()
}

// Tag sets the purpose of the message: "plan", "goal".
func (u *User) Tag(tag string) {
	u.tag = terminal.Line(tag)
	u.touch()
}

// Pending sets whether the message is still being stored.
func (u *User) Pending(pending bool) {
	u.pending = pending
	u.touch()
}

// Sent sets the message's id.
func (u *User) Sent(id string) { u.id = id }

// ID returns the message's id, empty until it is stored.
func (u *User) ID() string { return u.id }

// Text returns the text of the message.
func (u *User) Text() string { return u.text }

// Folds reports whether the text is long enough to be folded.
func (u *User) Folds() bool {
	shown, _ := foldText(u.text, maxUserLines, maxUserBytes)
	return len(shown) < len(strings.TrimRight(u.text, "\n"))
}

// Lines implements list.Item.
func (u *User) Lines(width int) []string {
	return u.get(width, u.draw)
}

func (u *User) draw(width int) []string {
	s := u.env.Styles
	shown, left := foldText(u.text, maxUserLines, maxUserBytes)
	if u.open {
		shown, left = foldText(u.text, maxWholeLines, maxWholeBytes)
	}
	room := textWidth(width)
	lines := markdown.Wrap(terminal.Text(shown), theme.Open(s.Bold), room)
	if width >= whenWidth && (len(lines) > 1 || ansi.StringWidth(lines[0]) > room-whenRoom) {
		lines = markdown.Wrap(terminal.Text(shown), theme.Open(s.Bold), room-whenRoom)
	}
	if left > 0 {
		lines = append(lines, s.Muted.Render(fmt.Sprintf("… %d more lines", left)))
	}
	if u.added && len(lines) > 0 {
		lines = u.mention(lines, "added to the turn", textWidth(width))
	}
	for _, line := range u.shows {
		lines = append(lines, s.Accent.Render("+")+" "+s.Muted.Render(ansi.Truncate(terminal.Line(line), room-2, "…")))
	}
	if u.tag != "" {
		lines = append([]string{s.Muted.Render(ansi.Truncate(u.tag, textWidth(width), "…"))}, lines...)
	}
	if u.label != "" {
		lines = append([]string{s.Muted.Render(u.label)}, lines...)
	}
	when := s.Muted.Render(phrase.Time(u.at, u.env.Now()))
	for _, i := range []int{0, len(lines) - 1} { // on the first line with enough space
		if with := phrase.Spread(lines[i], when, room); with != lines[i] {
			lines[i] = with
			break
		}
	}
	style := s.Accent
	if u.pending || u.failed != "" {
		style = s.Muted
	}
	bar := style.Render("▌") + " "
	out := marked(bar, bar, lines)
	if u.failed != "" {
		out = append(out, marked(s.Error.Render("✗")+" ", "  ",
			markdown.Wrap("Not sent: "+u.failed, theme.Open(s.Error), textWidth(width)))...)
	}
	return out
}

// mention appends a muted word to the last line, or below it.
func (u *User) mention(lines []string, word string, width int) []string {
	last := len(lines) - 1
	quiet := u.env.Styles.Muted.Render(word)
	if room := width - ansi.StringWidth(lines[last]); room >= len(word)+2 {
		lines[last] += "  " + quiet
		return lines
	}
	return append(lines, ansi.Truncate(quiet, width, "…"))
}

// foldText returns the beginning of a long text, limited to about that many lines and bytes, and the number of
// omitted lines.
func foldText(text string, maxLines, maxBytes int) (shown string, left int) {
	text = strings.TrimRight(text, "\n")
	end, lines := 0, 0
	for end < len(text) && lines < maxLines && end < maxBytes {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			n = len(text) - end
		}
		end += n + 1
		lines++
	}
	end = min(end, len(text))
	if end > maxBytes {
		cut := strings.ToValidUTF8(text[:maxBytes], "")
		return cut + " …", strings.Count(text[maxBytes:], "\n")
	}
	rest := text[end:]
	if rest == "" {
		return text, 0
	}
	return strings.TrimRight(text[:end], "\n"), strings.Count(rest, "\n") + 1
}

// opens is the turn that begins with an item.
type opens struct{ turn string }

// Opens sets the id of the recorded turn that begins with the item.
func (o *opens) Opens(turn string) { o.turn = turn }

// Turn returns the id of the recorded turn that begins with the item, or an empty string.
func (o *opens) Turn() string { return o.turn }
