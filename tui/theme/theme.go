// Package theme defines all colours and styles. Body text keeps the terminal's own colour, there is one accent,
// coloured text is readable on the background that its theme assumes, and the theme "none" uses only bold, faint,
// underline and reverse.
package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prose"
)

// The names of the themes.
const (
	Dark          = "dark"
	Light         = "light"
	Warm          = "warm"
	Contrast      = "contrast"
	ContrastLight = "contrast-light"
	None          = "none"
)

// Palette holds a theme's colours. A zero colour is the terminal's own.
type Palette struct {
	Accent, Muted, OK, Warn, Error, Code Color
	Surface                              Color // background of what is filled; none with 16 colours
	Line                                 Color // rules and frames, which hold no text
}

// Color is a colour in each colour profile.
type Color struct{ TrueColor, ANSI256, ANSI string }

func color(trueColor, ansi256, ansi string) Color { return Color{trueColor, ansi256, ansi} }

// Styles holds the screen's styles.
type Styles struct {
	Name string // name of the theme
	// Colorful is false for the theme "none" and for terminals without colour.
	Colorful bool

	Text, Bold, Muted, Accent, AccentBold lipgloss.Style
	OK, Warn, Error                       lipgloss.Style
	ErrorBold, WarnBold                   lipgloss.Style
	Key                                   lipgloss.Style // keys in hints and help
	Pointed                               lipgloss.Style // the target of a key
	Added, Removed                        lipgloss.Style // changed words of a note

	Opens
}

// Opens holds the opening sequences (Open) of the styles of Markdown and dividing lines.
type Opens struct {
	Rule, Surface                                                       string
	Headings                                                            [3]string // by level; deeper ones are drawn like the last
	Strong, Emphasis, Strike, Code, Link, Wikilink, Mark, Bullet, Quote string
	CodeKeyword, CodeName, CodeString, CodeNumber, CodeComment          string
}

// Choose returns the theme to use: NO_COLOR takes precedence over the configured name, and that over the terminal's
// background.
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

// New returns the styles of a known theme for a colour profile.
func New(name string, profile colorprofile.Profile) *Styles {
	look, _ := find(name)
	if profile <= colorprofile.ASCII {
		return &Styles{Name: name} // plain text only
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
			Rule:        Open(fg(p.Line)),
			Headings:    [3]string{Open(plain.Bold(true).Underline(true)), Open(plain.Bold(true)), Open(fg(p.Muted).Bold(true))},
			Strong:      Open(plain.Bold(true)),
			Emphasis:    Open(plain.Italic(true)),
			Strike:      Open(plain.Strikethrough(true)),
			Code:        Open(fg(p.Code)),
			Link:        Open(plain.Underline(true)),
			Wikilink:    Open(fg(p.Accent).Underline(true)),
			Mark:        Open(plain.Reverse(true)),
			Bullet:      Open(fg(p.Muted)),
			Quote:       Open(fg(p.Muted)),
			CodeKeyword: Open(fg(p.Code).Bold(true)),
			CodeString:  Open(fg(p.OK)),
			CodeNumber:  Open(fg(p.Warn)),
			CodeComment: Open(fg(p.Muted).Italic(true)),
			CodeName:    Open(fg(p.Code)),
		},
	}
	if colorful && profile > colorprofile.ANSI {
		s.Surface = Open(plain.Background(pick(nil, lipgloss.Color(p.Surface.ANSI256), lipgloss.Color(p.Surface.TrueColor))))
	}
	if !colorful {
		s.Muted = plain.Faint(true)
		faint, bold := Open(s.Muted), Open(s.Bold)
		s.Rule, s.Quote, s.CodeComment = faint, faint, faint
		s.Headings[2] = Open(s.Bold.Italic(true))
		s.Code, s.CodeKeyword = bold, bold
	} else if name == Contrast || name == ContrastLight {
		s.Key = fg(p.Accent).Bold(true) // distinct from text by more than its weight
		s.Link = Open(fg(p.Accent).Underline(true))
	}
	return s
}

// Open returns the opening sequence of a style, so that text can be styled without a call per word. It is empty for a
// style without effect. Reset ends it.
func Open(s lipgloss.Style) string {
	drawn := s.Render("x")
	return drawn[:strings.IndexByte(drawn, 'x')]
}

// Styled returns text in the style that open begins.
func Styled(open, text string) string {
	if open == "" || text == "" {
		return text
	}
	return open + text + Reset
}

// Filled returns a line on the surface, as wide as width.
func (s *Styles) Filled(line string, width int) string {
	if s.Surface == "" {
		return line
	}
	return s.Surface + strings.NewReplacer(Reset, Reset+s.Surface, ansi.ResetStyle, ansi.ResetStyle+s.Surface).Replace(cells.Pad(line, width)) + Reset
}

// Cursor marks the cursor in a line. It has no width; frames replace it by the position.
const Cursor = "\x1b[s"

// Reset ends every style.
const Reset = "\x1b[0m"

// Prose returns the styles for changes of notes.
func (s *Styles) Prose() prose.Styles {
	return prose.Styles{
		Plus: Open(s.OK), Minus: Open(s.Error), Added: Open(s.Added), Removed: Open(s.Removed), Muted: Open(s.Muted),
		Colorful: s.Colorful,
	}
}
