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

// A user's long text is shown folded; it was sent whole. Unfolded there are bounds too.
const (
	maxUserLines  = 12
	maxUserBytes  = 4 << 10
	maxWholeLines = 2000
	maxWholeBytes = 64 << 10
)

// User is what the user wrote, or what was routed here.
type User struct {
	text   string
	id     string   // of the message; empty until it is durable
	label  string   // where it came from, when not typed here
	tag    string   // what it is for, when it is no ordinary request
	added  bool     // to a turn that ran already
	failed string   // why it could not be sent
	shows  []string // pictures and documents that go with it
	// pending: not durable yet
	pending bool
	dated
	opens
	card
}

// A long message leaves room at its right for when it was, where the screen has so much.
const (
	whenRoom  = 14 // cells
	whenWidth = 60 // of the screen
)

// NewUser makes an item of text as it was sent; label names its source when it
// was not typed here.
func NewUser(env *Env, text, label string) *User {
	return &User{card: card{env: env}, text: text, label: terminal.Line(label)}
}

// Fail marks the message as not sent.
func (u *User) Fail(why string) {
	u.failed, u.pending = terminal.Line(why), false
	u.touch()
}

// Added marks a message that went into a running turn.
func (u *User) Added() {
	u.added = true
	u.touch()
}

// Shows says which pictures and documents go with the message, a line each.
func (u *User) Shows(lines []string) {
	u.shows = lines
	u.touch()
}

// Tag says what the message is for: "plan", "goal".
func (u *User) Tag(tag string) {
	u.tag = terminal.Line(tag)
	u.touch()
}

// Pending says whether the message is still being made durable.
func (u *User) Pending(pending bool) {
	u.pending = pending
	u.touch()
}

// Sent says by which id the message is known.
func (u *User) Sent(id string) { u.id = id }

// ID is the message's, empty where it is not durable.
func (u *User) ID() string { return u.id }

// Text is what was written.
func (u *User) Text() string { return u.text }

// Folds says whether the text is long enough to be folded.
func (u *User) Folds() bool {
	shown, _ := foldText(u.text, maxUserLines, maxUserBytes)
	return len(shown) < len(strings.TrimRight(u.text, "\n"))
}

// Lines draws it.
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
	for _, i := range []int{0, len(lines) - 1} { // where there is room
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

// mention puts a quiet word at the end of the last line, or below it.
func (u *User) mention(lines []string, word string, width int) []string {
	last := len(lines) - 1
	quiet := u.env.Styles.Muted.Render(word)
	if room := width - ansi.StringWidth(lines[last]); room >= len(word)+2 {
		lines[last] += "  " + quiet
		return lines
	}
	return append(lines, ansi.Truncate(quiet, width, "…"))
}

// foldText gives the beginning of a long text, about that many lines and bytes of it, and the
// number of lines left out.
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

// opens is what an item knows of the turn that begins with it.
type opens struct{ turn string }

// Opens says which turn begins with the item, by its id, when it is recorded.
func (o *opens) Opens(turn string) { o.turn = turn }

// Turn is the id of the turn that begins with the item; empty where none does, or it is not recorded.
func (o *opens) Turn() string { return o.turn }
