package chat

import (
	"time"

	"chatvault/internal/base/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Limits on the lines shown of a long message, folded and unfolded. It is always sent whole.
const (
	maxUserLines  = 12
	maxWholeLines = 2000
)

// User is a message typed by the user or routed from another program.
type User struct {
	UserData
	label string   // source, if not typed here
	shows []string // attached pictures and documents
	long  bool     // too long to be shown whole
	at    time.Time
	card
}

// UserData is what a User shows. Tag and Failed are untrusted.
type UserData struct {
	Text    string
	ID      string // message id; empty until it is stored
	Tag     string // purpose, if not an ordinary request: "plan", "goal"
	Added   bool   // it joined a running turn
	Failed  string // why sending failed
	Pending bool   // not stored yet
}

const addedText = "added to the turn"

// NewUser returns an item for the text of a message; label names the source if it was not typed here.
func NewUser(env *Env, text, label string) *User {
	return &User{card: card{env: env}, UserData: UserData{Text: text}, label: terminal.Line(label)}
}

// Shows lists the attached pictures and documents.
func (u *User) Shows(lines []string) {
	u.shows = lines
	u.touch()
}

// At sets the time; the zero time means unknown.
func (u *User) At(t time.Time) { u.at = t }

// Folds reports whether the text is too long to be shown whole.
func (u *User) Folds() bool { return u.open || u.long }

// Lines implements list.Item.
func (u *User) Lines(width int) []string {
	return u.get(width, u.UserData, u.draw)
}

func (u *User) draw(width int) []string {
	s, p, limit := u.env.Styles, page{Styles: u.env.Styles, room: textWidth(width)}, maxUserLines
	if u.open {
		limit = maxWholeLines
	}
	if from := phrase.Join(u.label, terminal.Line(u.Tag)); from != "" {
		p.line(p.Muted, from)
	}
	lines, cut := excerpt(s, s.Bold, u.Text, p.room, limit)
	u.long = cut
	if p.lines = append(p.lines, lines...); len(p.lines) == 0 {
		p.lines = []string{""}
	}
	if u.Added && !p.beside(addedText) {
		p.line(p.Muted, addedText)
	}
	p.list(p.Accent.Render("+"), u.shows)
	p.lines[0] = phrase.Spread(p.lines[0], s.Muted.Render(phrase.Time(u.at, u.env.Now())), p.room)
	style := s.Accent
	if u.Pending || u.Failed != "" {
		style = s.Muted
	}
	bar := style.Render("▌") + " "
	out := marked(bar, bar, p.lines)
	if u.Failed != "" {
		out = append(out, marked(s.Error.Render("✗")+" ", "  ", markdown.Wrap("Not sent: "+terminal.Line(u.Failed), theme.Open(s.Error), p.room))...)
	}
	return out
}
