package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/note"
)

type getOutlineArgs struct {
	Path       string `json:"path" note:"true" nonempty:"true"`
	MaxResults int    `json:"max_results,omitempty" min:"1"`
}

// outline is the data of get_outline.
type outline struct {
	Path     string    `json:"path"`
	Lines    int       `json:"lines" jsonschema:"of the note"`
	Headings []section `json:"headings"`
	remainder
}

type section struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
	First int    `json:"first_line" jsonschema:"the heading's own"`
	Last  int    `json:"last_line"`
}

var _ = define(definition{
	name:    "get_outline",
	output:  DataSchema[outline],
	traits:  Traits{Verb: "looking at headings of", Did: "looked at headings of", Kind: CallReads, Spare: true},
	example: `{"path": "Notes/a.md"}`,
}, runGetOutline, func(a getOutlineArgs) string { return a.Path })

func runGetOutline(ctx context.Context, t *Turn, a getOutlineArgs) Result {
	file, refused := t.readNote(ctx, "get_outline", a.Path)
	if file == nil {
		return refused
	}
	headings := note.Parse(file.Data).Headings
	lines := bytes.Count(file.Data, []byte("\n"))
	if n := len(file.Data); n > 0 && file.Data[n-1] != '\n' {
		lines++
	}
	data := outline{Path: file.Path, Lines: lines, Headings: []section{}}
	l := listing.New(a.MaxResults)
	for i, h := range headings {
		s := section{Level: h.Level, Text: listing.LineText(h.Text), First: h.Line, Last: lines}
		for _, next := range headings[i+1:] {
			if next.Level <= h.Level {
				s.Last = next.Line - 1
				break
			}
		}
		listing.AddTo(l, &data.Headings, s, "%d-%d: %s %s\n", s.First, s.Last, strings.Repeat("#", s.Level), s.Text)
	}
	return listed(l, fmt.Sprintf("Outline of %s (%s, %s), with the lines of each section:\n\n", wording.Quote(file.Path), wording.Counted(lines, "line"), wording.Counted(len(headings), "heading")),
		fmt.Sprintf("%s has no headings (%s).", wording.Quote(file.Path), wording.Counted(lines, "line")),
		len(headings), "heading", "read the note in parts", "", &data)
}

// readNote reads a Markdown note. If it is none, it returns nil and the error result.
func (t *Turn) readNote(ctx context.Context, tool, path string) (*vault.File, Result) {
	file, err := t.notes.Read(ctx, path)
	if err != nil {
		return nil, failed(tool, err)
	}
	switch {
	case !vault.IsNote(file.Path):
		return nil, failf("not a note", "%s is not a Markdown note (.md); %s works only on notes.", wording.Quote(file.Path), tool)
	case bytes.IndexByte(file.Data, 0) >= 0:
		return nil, failf("binary", "%s is a binary file, not text.", wording.Quote(file.Path))
	}
	return file, Result{}
}
