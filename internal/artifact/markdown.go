package artifact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
	"chatvault/vault/block"
)

// How long code, and how many rows a table, must be to be a thing of its own: what is shorter is read
// where it stands.
const (
	minCode = 40 // lines
	minRows = 15
)

// InMarkdown are the long code and the large tables of a text of Markdown.
func InMarkdown(markdown string) []Thing {
	if strings.Count(markdown, "\n") <= minRows {
		return nil
	}
	text := []byte(markdown)
	f := finder{text: text}
	for s := block.New(text); s.Scan(); {
		f.line(&s.Line)
	}
	f.endTable()
	return f.things
}

// finder goes over the lines of a text.
type finder struct {
	text    []byte
	heading string
	fence   string // what the fence that is open says of its code; "-": nothing
	from    int    // where the code begins, or the table
	lines   int    // of it, so far
	table   bool
	to      int // where the table ends
	things  []Thing
}

func (f *finder) line(l *block.Line) {
	content := f.text[l.Text:l.End]
	inTable := l.Kind == block.Text && l.Items == 0 && l.Quotes == 0 && bytes.ContainsRune(content, '|')
	if f.table && inTable {
		f.lines, f.to = f.lines+1, l.Next
		return
	}
	f.endTable()
	switch {
	case inTable:
		f.table, f.from, f.to, f.lines = true, l.Start, l.Next, 1
	case l.Kind == block.Heading:
		f.heading = block.HeadingText(content)
	case l.Kind == block.Fence && f.fence == "" && l.Items == 0 && l.Quotes == 0:
		f.fence, f.from, f.lines = cmp.Or(strings.TrimSpace(strings.TrimLeft(string(content), "`~")), "-"), l.Next, 0
	case l.Kind == block.Fence && f.fence != "":
		if f.lines >= minCode {
			f.add(codeName(f.fence, f.heading), f.text[f.from:l.Start])
		}
		f.fence = ""
	default:
		f.lines++
	}
}

var delimiters = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

func (f *finder) endTable() {
	if !f.table {
		return
	}
	f.table = false
	rows := f.text[f.from:f.to]
	_, second, _ := bytes.Cut(rows, []byte{'\n'})
	second, _, _ = bytes.Cut(second, []byte{'\n'})
	if f.lines-2 >= minRows && delimiters().Match(bytes.TrimRight(second, "\r")) {
		f.add(cmp.Or(f.heading, "Table")+".md", rows)
	}
}

// add takes a thing; those of one name are numbered.
func (f *finder) add(name string, data []byte) {
	if len(f.things) == MaxThings {
		return
	}
	stem, ending := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		stem, ending = name[:i], name[i:]
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(f.things, func(t Thing) bool { return t.Name == name })
	}
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s %d%s", stem, n, ending)
	}
	f.things = append(f.things, Thing{Name: name, Data: bytes.Clone(data)})
}

var named = lazyregexp.New(`(?:title|file|filename|name)=["']?([^"'\s}]+)|^[A-Za-z0-9+#-]+:(\S+)`)

// codeName is what code is called that a fence tells of: by the file it names, else by the heading above.
func codeName(fence, heading string) string {
	if m := named().FindStringSubmatch(fence); m != nil {
		return cmp.Or(m[1], m[2])
	}
	language, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(fence, "{.-")), " ")
	language = strings.Trim(language, "}")
	return cmp.Or(heading, "Code") + "." + cmp.Or(endings[language], ending(language), "txt")
}

// ending is a language as the ending of a name, where it is short enough to be one.
func ending(language string) string {
	if len(language) > 4 || strings.Trim(language, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return language
}

// endings are those of languages that are called otherwise.
var endings = map[string]string{
	"bash": "sh", "c++": "cpp", "c#": "cs", "csharp": "cs", "haskell": "hs", "javascript": "js", "kotlin": "kt", "latex": "tex", "markdown": "md",
	"perl": "pl", "powershell": "ps1", "python": "py", "ruby": "rb", "rust": "rs", "scala": "scala", "shell": "sh", "swift": "swift", "text": "txt",
	"typescript": "ts", "zsh": "sh",
}

// dataLink is a data: link that is long enough to be a thing.
var dataLink = lazyregexp.New(`data:[a-zA-Z0-9.+-]+/[a-zA-Z0-9.+-]+(?:;[a-zA-Z0-9=.-]+)*;base64,([A-Za-z0-9+/]{256,}={0,2})`)

// Inline takes the data: links out of a text and puts names in their place; name is what things are
// called.
func Inline(words, name string) (rest string, things []Thing) {
	if !strings.Contains(words, ";base64,") {
		return words, nil
	}
	var b strings.Builder
	at := 0
	for _, m := range dataLink().FindAllStringSubmatchIndex(words, MaxThings) {
		data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(words[m[2]:m[3]], "="))
		if err != nil {
			continue
		}
		a, err := Describe(name, data)
		if err != nil {
			continue
		}
		b.WriteString(words[at:m[0]])
		b.WriteString("artifact:" + strings.ReplaceAll(a.Name, " ", "%20"))
		at = m[1]
		things = append(things, Thing{a.Name, data})
	}
	b.WriteString(words[at:])
	return b.String(), things
}

// Mention is what a model is told in the place of a thing: what it is, or why it is not kept.
func Mention(t Thing) string {
	a, err := Describe(t.Name, t.Data)
	if err != nil {
		return fmt.Sprintf("[%s, %s, was left out: %v]", a.Name, a.MediaType, err)
	}
	return fmt.Sprintf("[The artifact %q: %s, %s. You cannot see it; the user can: it is a file beside the conversation.]",
		a.Name, a.MediaType, text.Count(int(a.Size), "byte"))
}
