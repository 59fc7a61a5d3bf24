// Package theme is the one place where colours and styles are chosen. It promises
// that text keeps the terminal's own colour, that there is one accent, that what has a colour of
// its own can be read on the background its theme assumes, and that
// the theme "none" uses no colour at all, only bold, faint, underline and reverse.
package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/internal/prose"
)

// Names of the themes.
const (
	Dark          = "dark"
	Light         = "light"
	Warm          = "warm"
	Paper         = "paper"
	Contrast      = "contrast"
	ContrastLight = "contrast-light"
	None          = "none"
)

// Palette is the colours a theme is made from. A zero colour is the terminal's own.
type Palette struct {
	Accent, Muted, OK, Warn, Error, Code Color
	// Keyword, String and Number colour code.
	Keyword, String, Number Color
}

// Color is a colour as terminals of each profile show it.
type Color struct{ TrueColor, ANSI256, ANSI string }

func color(trueColor, ansi256, ansi string) Color { return Color{trueColor, ansi256, ansi} }

// Styles is every style the screen uses.
type Styles struct {
	Name string // of the theme
	// Colorful is false for the theme "none" and for terminals without colour.
	Colorful bool

	Text, Bold, Muted, Accent, AccentBold lipgloss.Style
	OK, Warn, Error                       lipgloss.Style
	ErrorBold, WarnBold                   lipgloss.Style
	Key                                   lipgloss.Style // a key in hints and help
	Pointed                               lipgloss.Style // what a key would act on
	Added, Removed                        lipgloss.Style // words of a note that changes

	Opens
}

// Opens is what begins each style (Open) of Markdown, and of dividing lines.
type Opens struct {
	Rule                                                                                                  string
	Heading, Subheading, Strong, Emphasis, Strike, Code, Link, Wikilink, Mark, Bullet, Quote, FrontMatter string
	CodeKeyword, CodeName, CodeString, CodeNumber, CodeComment                                            string
}

// Choose names the theme to use: NO_COLOR wins, then the configured name, then
// the terminal's background.
func Choose(configured string, lightBackground, noColor bool) string {
	if noColor {
		return None
	}
	if _, known := find(configured); known {
		return configured
	}
	if lightBackground {
		return Light
	}
	return Dark
}

// New makes the styles of the named theme (Dark when it is unknown) for a
// terminal with the given colour profile.
func New(name string, profile colorprofile.Profile) *Styles {
	look, known := find(name)
	if !known {
		name = Dark
		look, _ = find(name)
	}
	if profile <= colorprofile.ASCII {
		return &Styles{Name: name} // nothing but text
	}
	return build(name, look.palette, profile)
}

func build(name string, p Palette, profile colorprofile.Profile) *Styles {
	colorful := name != None
	plain := lipgloss.NewStyle()
	pick := lipgloss.Complete(profile)
	fg := func(c Color) lipgloss.Style {
		if !colorful || c == (Color{}) {
			return plain
		}
		return plain.Foreground(pick(lipgloss.Color(c.ANSI), lipgloss.Color(c.ANSI256), lipgloss.Color(c.TrueColor)))
	}
	s := &Styles{
		Name:       name,
		Colorful:   colorful,
		Text:       plain,
		Bold:       plain.Bold(true),
		Muted:      fg(p.Muted),
		Accent:     fg(p.Accent),
		AccentBold: fg(p.Accent).Bold(true),
		OK:         fg(p.OK),
		Warn:       fg(p.Warn),
		Error:      fg(p.Error),
		ErrorBold:  fg(p.Error).Bold(true),
		WarnBold:   fg(p.Warn).Bold(true),
		Key:        plain.Bold(true),
		Pointed:    plain.Reverse(true),
		Added:      fg(p.OK).Underline(true),
		Removed:    fg(p.Error).Strikethrough(true),

		Opens: Opens{
			Rule:        Open(fg(p.Muted)),
			Heading:     Open(fg(p.Accent).Bold(true)),
			Subheading:  Open(plain.Bold(true)),
			Strong:      Open(plain.Bold(true)),
			Emphasis:    Open(plain.Italic(true)),
			Strike:      Open(plain.Strikethrough(true)),
			Code:        Open(fg(p.Code)),
			Link:        Open(plain.Underline(true)),
			Wikilink:    Open(fg(p.Accent).Underline(true)),
			Mark:        Open(plain.Reverse(true)),
			Bullet:      Open(fg(p.Accent)),
			Quote:       Open(fg(p.Muted)),
			FrontMatter: Open(fg(p.Muted)),
			CodeKeyword: Open(fg(p.Keyword)),
			CodeString:  Open(fg(p.String)),
			CodeNumber:  Open(fg(p.Number)),
			CodeComment: Open(fg(p.Muted).Italic(true)),
			CodeName:    Open(fg(p.Accent)),
		},
	}
	if !colorful {
		s.Muted = plain.Faint(true)
		faint, bold := Open(s.Muted), Open(s.Bold)
		s.Rule, s.Quote, s.FrontMatter, s.CodeComment = faint, faint, faint, faint
		s.Heading = Open(s.Bold.Underline(true))
		s.Code, s.CodeKeyword = bold, bold
	} else if name == Contrast || name == ContrastLight {
		s.Key = fg(p.Accent).Bold(true) // told from text by more than its weight
		s.Link = Open(fg(p.Accent).Underline(true))
	}
	return s
}

// Open gives the sequence that begins a style, so that text can be styled
// without a call per word; "" for a style that does nothing. Reset ends it.
func Open(s lipgloss.Style) string {
	drawn := s.Render("x")
	return drawn[:strings.IndexByte(drawn, 'x')]
}

// Styled is text in the style that open begins.
func Styled(open, text string) string {
	if open == "" || text == "" {
		return text
	}
	return open + text + Reset
}

// Cursor marks where the cursor stands in a line. It takes no cell; the frame has the place instead of it.
const Cursor = "\x1b[s"

// Reset ends every style.
const Reset = "\x1b[0m"

// Prose is how changes of notes are drawn.
func (s *Styles) Prose() prose.Styles {
	return prose.Styles{
		Plus: Open(s.OK), Minus: Open(s.Error), Added: Open(s.Added), Removed: Open(s.Removed), Muted: Open(s.Muted),
		Colorful: s.Colorful,
	}
}
