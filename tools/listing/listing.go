// Package listing makes results of bounded size of what was found in a vault, and says what is left
// out of them and how to have it.
package listing

import (
	"cmp"
	"fmt"
	"strings"

	"chatvault/internal/text"
	"chatvault/tools/wording"
	"chatvault/vault/query"
	"chatvault/vault/walk"
)

// Bounds of what is listed.
const (
	defaultItems = 50
	maxItems     = 500
	MaxBytes     = 30_000
	MaxLine      = 400 // of a line of a note, in bytes
	maxSkipped   = 5
	NotesNamed   = 3 // where they are only counted otherwise
)

// List collects lines for a result of bounded size.
type List struct {
	b     strings.Builder
	most  int // items
	bytes int
	shown int
	full  bool
	over  Limits
}

// New is a list of as many items as were asked for by max_results; 0: the default.
func New(asked int) *List {
	l := &List{bytes: MaxBytes}
	l.most = l.over.Take("max_results", cmp.Or(asked, defaultItems), maxItems)
	return l
}

// Of is a list of at most so many items and bytes, but for the first item.
func Of(items, bytes int) *List { return &List{most: items, bytes: bytes} }

// Shown is how many items were taken in.
func (l *List) Shown() int { return l.shown }

// Full says that an item was left out.
func (l *List) Full() bool { return l.full }

// Over says, as a last line of a result, that more was asked for than a list holds, or "".
func (l *List) Over() string { return l.over.Note() }

// String is what was taken in.
func (l *List) String() string { return strings.TrimSuffix(l.b.String(), "\n") }

// Add takes in an item of one line or more; it is left out when the listing is full.
func (l *List) Add(format string, a ...any) (taken bool) {
	text := fmt.Sprintf(format, a...)
	if l.shown >= l.most || l.b.Len()+len(text) > l.bytes && l.shown > 0 {
		l.full = true
	}
	if l.full {
		return false
	}
	l.b.WriteString(text)
	l.shown++
	return true
}

// Head takes in a line that is no item: it is left out with what it stands over.
func (l *List) Head(format string, a ...any) {
	if l.shown >= l.most {
		l.full = true
	}
	if !l.full {
		fmt.Fprintf(&l.b, format, a...)
	}
}

// Text is the list, and of all items what is left out and how to have it.
func (l *List) Text(all int, noun, narrow string) string {
	return l.String() + l.LeftOut(all, noun, narrow)
}

// LeftOut says, of all items, what is left out and how to have it; "": nothing is.
func (l *List) LeftOut(all int, noun, narrow string) string {
	more := all - l.shown
	if more <= 0 {
		return ""
	}
	advice := narrow
	if l.most < maxItems && l.shown == l.most {
		advice = "raise max_results or " + narrow
	}
	return fmt.Sprintf("\n\n[%s; %s]", wording.Counted(more, "more "+noun), advice)
}

// Remarks are the last lines of a result, as its data has them.
func Remarks(lines ...string) string {
	var said []string
	for _, l := range lines {
		for part := range strings.SplitSeq(l, "\n\n") {
			if part = strings.Trim(strings.TrimSpace(part), "[]"); part != "" {
				said = append(said, part)
			}
		}
	}
	return strings.Join(said, "; ")
}

// MissedText says, as the last lines of a result, what was not looked at.
func MissedText(m query.Missed) string {
	return SkippedText(m.Skipped) + LeftOutText(m.Excluded, "looked at", "adds")
}

// LineText is a line of a note for a listing.
func LineText(s string) string { return wording.Shorten(wording.OneLine(s), MaxLine) }

// ScopeTarget says which notes a question is about, for one line of a screen.
func ScopeTarget(what string, s query.Scope) string {
	switch {
	case s.Path != "" && !IsRoot(s.Path):
		what = strings.TrimSpace(what + " in " + s.Path)
	case s.Pattern != "":
		what = strings.TrimSpace(what + " in " + s.Pattern)
	}
	return what
}

// ScopeName says in a sentence where was looked: "the vault", "Projects/", "files matching …".
func ScopeName(s query.Scope) string {
	switch {
	case s.Path != "" && !IsRoot(s.Path) && s.Pattern != "":
		return fmt.Sprintf("files matching %s in %s", wording.Quote(s.Pattern), wording.Quote(s.Path))
	case s.Path != "" && !IsRoot(s.Path):
		return wording.Quote(s.Path)
	case s.Pattern != "":
		return "files matching " + wording.Quote(s.Pattern)
	}
	return "the vault"
}

// Limits are the arguments of a call that were over their maximum, for the result to say.
type Limits []string

// Take is asked, or most where it is over it.
func (l *Limits) Take(argument string, asked, most int) int {
	if asked <= most {
		return asked
	}
	*l = append(*l, fmt.Sprintf("%s %s is over the maximum; %s was used", argument, text.Thousands(asked), text.Thousands(most)))
	return most
}

// Note is a last line of a result that says so, or "".
func (l Limits) Note() string {
	if len(l) == 0 {
		return ""
	}
	return "\n\n[" + strings.Join(l, "; ") + "]"
}

// LeftOutText says, as the last line of a result, that something was left out because Obsidian's
// settings exclude it, and how to have it all the same; "" where nothing was. It names none of it.
func LeftOutText(l walk.LeftOut, done, does string) string {
	if !l.Any() {
		return ""
	}
	var what string
	switch {
	case l.Files == 0:
		what = wording.Counted(l.Folders, "folder")
	case l.Folders == 0:
		what = wording.Counted(l.Files, "file")
	default:
		what = wording.Counted(l.Folders, "folder") + " and " + wording.Counted(l.Files, "file")
	}
	were, them := "were", "them"
	if l.Files+l.Folders == 1 {
		were, them = "was", "it"
	}
	return "\n\n[" + what + " that Obsidian's settings exclude " + were + " not " + done + "; include_ignored " + does + " " + them + "]"
}

// SkippedText says, as the last line of a result, what was not searched, "" where nothing was.
func SkippedText(skipped []string) string {
	if len(skipped) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n[Not searched:")
	for i, s := range skipped[:min(len(skipped), maxSkipped)] {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(" " + wording.Shorten(s, 200))
	}
	if more := len(skipped) - maxSkipped; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	b.WriteByte(']')
	return b.String()
}

// NotesText counts notes and names the first.
func NotesText(paths []string) string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = wording.PlainName(p)
	}
	return fmt.Sprintf("%s (%s)", wording.Counted(len(paths), "note"), text.Some(names))
}

// IsRoot says that a folder, as it was given, is the vault itself.
func IsRoot(folder string) bool { return folder == "" || folder == "." || folder == "./" }
