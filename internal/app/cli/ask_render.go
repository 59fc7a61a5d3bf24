package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/app/ask"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxAnswerWidth is the maximum width of an answer drawn by ask, in cells.
const maxAnswerWidth = 100

// answers returns how ask draws answers, or nil if it prints their Markdown: on anything but a terminal.
func answers(a *session.Session, s Streams) func() ask.Rendering {
	if kind := s.getenv("TERM"); !s.Out.IsTerminal() || kind == "" || kind == "dumb" {
		return nil
	}
	name := a.Config().Theme.V
	if name == config.ThemeAuto { // the background is not known
		name = config.ThemeNone
	}
	styles := theme.New(name, colorprofile.Detect(s.Out.Unfiltered(), os.Environ()))
	r := markdown.NewRenderer(styles, min(s.Out.Width(), maxAnswerWidth))
	links := hyperlinks(a.Config().Hyperlinks.V, s.getenv)
	return func() ask.Rendering {
		d := &drawnAnswer{stream: markdown.NewStream(r), found: map[cite.Reference]cite.Destination{}}
		d.stream.Cite(func(r cite.Reference) cite.Finding {
			r.Line, r.Anchor = 0, ""
			if _, known := d.found[r]; !known {
				if to, err := a.Citations.Resolve(context.Background(), []cite.Reference{r}); err == nil && len(to) == 1 {
					d.found[r] = to[0]
				}
			}
			return d.found[r].Finding
		})
		if links {
			d.link = func(c cite.Citation) string { return session.ObsidianURL(a.Vault(), c) }
		}
		return d
	}
}

// drawnAnswer draws an answer as it arrives. Finished blocks are printed once; the last lines of the unfinished end are
// printed too, and replaced later.
type drawnAnswer struct {
	stream  *markdown.Stream
	safe    terminal.Sanitizer
	found   map[cite.Reference]cite.Destination
	link    func(cite.Citation) string // nil for no links
	printed int                        // lines
	end     string                     // the printed lines of the unfinished end
}

// maxEnd is the number of lines shown of the unfinished end, fewer than any terminal has.
const maxEnd = 8

func (d *drawnAnswer) Append(text string) string {
	d.stream.Append(d.safe.Write(text))
	return d.next()
}

func (d *drawnAnswer) Finish() string {
	d.stream.Append(d.safe.Flush())
	d.stream.Finish()
	return d.next()
}

// next returns what is to be printed now.
func (d *drawnAnswer) next() string {
	lines := d.stream.Lines()
	for d.stream.Stale() { // the drawing of much text is spaced
		time.Sleep(time.Millisecond)
		lines = d.stream.Lines()
	}
	settled := max(d.stream.Settled(), d.printed)
	final, end := d.dressed(lines[d.printed:settled]), d.dressed(lines[max(settled, len(lines)-maxEnd):])
	if final == "" && end == d.end {
		return ""
	}
	if n := strings.Count(d.end, "\n"); n > 0 {
		final = ansi.CursorUp(n) + ansi.EraseScreenBelow + final
	}
	d.printed, d.end = settled, end
	return final + end
}

func (d *drawnAnswer) dressed(lines []string) string {
	return strings.Join(text.Of(lines, func(l string) string { return terminal.Rendered(markdown.Dress(l, d.dress)) + "\n" }), "")
}

// dress makes a link of the text of the reference with a number.
func (d *drawnAnswer) dress(n int, text string) string {
	ref := d.stream.References()[n].Reference
	at := ref
	at.Line, at.Anchor = 0, ""
	if to := d.found[at]; d.link != nil && to.State == cite.Found {
		return terminal.Link(d.link(cite.Citation{Number: n, Reference: ref, Path: to.Path}), text)
	}
	return text
}
