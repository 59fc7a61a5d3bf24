package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"chatvault/internal/base/picture"
	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/search"
)

type readFileArgs struct {
	Path      string `json:"path" note:"true" nonempty:"true" jsonschema:"relative to the vault, or a note's name"`
	StartLine int    `json:"start_line,omitempty" min:"1"`
	EndLine   int    `json:"end_line,omitempty" min:"1" jsonschema:"inclusive"`
}

// readMaxLineBytes is where a line is cut: longer than any paragraph, shorter than an embedded picture.
const readMaxLineBytes = 10_000

var _ = define(definition{
	name:    "read_file",
	traits:  Traits{Verb: "reading", Did: "read", Kind: CallReads, ReadsNotes: true},
	short:   []Form{{About: "read a note", Params: []Param{{"path", ""}}}},
	example: `{"path": "Notes/a.md", "start_line": 1}`,
}, runReadFile, targetReadFile)

func targetReadFile(a readFileArgs) string {
	switch {
	case a.Path == "" || a.StartLine <= 1 && (a.EndLine == 0 || a.EndLine >= DefaultReadMaxLines): // as much as without a range
		return a.Path
	case a.EndLine == 0:
		return fmt.Sprintf("%s:%d-", a.Path, a.StartLine)
	}
	return fmt.Sprintf("%s:%d-%d", a.Path, max(a.StartLine, 1), a.EndLine)
}

func runReadFile(ctx context.Context, t *Turn, a readFileArgs) Result {
	if a.EndLine > 0 && a.StartLine > a.EndLine {
		return failf("invalid range", "end_line %d is before start_line %d. Give the smaller number as start_line.",
			a.EndLine, a.StartLine)
	}
	f, err := t.notes.Read(ctx, a.Path)
	if err != nil {
		return failed("read_file", err)
	}
	if vault.Binary(f.Data) {
		return showFile(ctx, f)
	}
	lines := vault.LinesOf(f.Data, vault.LineRange{
		Start:        a.StartLine,
		End:          a.EndLine,
		MaxLines:     t.options.ReadMaxLines,
		MaxBytes:     t.options.ReadMaxBytes,
		MaxLineBytes: min(readMaxLineBytes, t.options.ReadMaxBytes),
	})
	if len(lines.Text) == 0 && a.StartLine > 1 {
		return failf("past the end", "start_line %d is past the end of %s, which has %s.",
			a.StartLine, wording.Quote(f.Path), wording.Counted(lines.Total, "line"))
	}
	t.known.Read(f.Path, f.Hash)
	if len(lines.Text) == 0 {
		return textf("empty", "%s is empty (%s).", wording.Quote(f.Path), wording.SizeText(int64(len(f.Data))))
	}
	shown := linesText(lines, a)
	if a.StartLine == 0 && a.EndLine == 0 && t.vault != nil {
		shown += t.againstOriginal(ctx, f.Path)
	}
	return Result{Text: shown, Summary: wording.Counted(len(lines.Text), "line")}
}

// againstOriginal returns, for a conflict copy, how it differs from its note; otherwise "".
func (t *Turn) againstOriginal(ctx context.Context, copied string) string {
	original := search.CopyOf(ctx, t.vault.Source(), copied)
	if original == "" {
		return ""
	}
	note, err := t.notes.Read(ctx, original)
	f, copyErr := t.notes.Read(ctx, copied)
	if err != nil || copyErr != nil {
		return ""
	}
	diff := textedit.ResultDiff(copied, string(note.Data), string(f.Data))
	about := "\n\n[This is a conflict copy of " + wording.Quote(note.Path)
	if diff == "" {
		return about + ", and reads the same.]"
	}
	return about + ". To merge, put what only the copy has (+) into the note, which has the lines with -; then delete the copy.]\n" +
		strings.Replace(diff, "--- "+wording.PlainName(copied), "--- "+wording.PlainName(note.Path), 1)
}

// maxShown is the maximum number of tokens that a document may add to a request: about forty pages.
const maxShown = 100_000

// showFile returns a picture or a document, or describes any other binary file.
func showFile(ctx context.Context, f *vault.File) Result {
	info, data, err := picture.Prepare(ctx, f.Data)
	name, size := wording.Quote(f.Path), wording.SizeText(int64(len(f.Data)))
	switch {
	case info.Kind == "":
		return textf("binary", "%s is a binary file (%s), not text; it cannot be shown.", name, size)
	case err != nil:
		return failf("not shown", "%s is a %s (%s) and cannot be shown: %v.", name, info, size, err)
	case info.Tokens > maxShown:
		return failf("too large", "%s is a %s of %s; at most %s can be shown.", name, info, info.About(), text.Count(maxShown, "token"))
	}
	r := textf(info.String(), "%s is a %s: %s (%s).", name, info.Noun(), info, size)
	r.Shown = &Shown{Info: info, Name: f.Path, Data: data}
	return r
}

// linesText returns numbered lines, and what of the file is not shown.
func linesText(l vault.Lines, a readFileArgs) string {
	var b strings.Builder
	for i, line := range l.Text {
		b.WriteString(strconv.Itoa(l.Start + i))
		b.WriteString(": ")
		b.WriteString(line)
		if i < len(l.Cut) && l.Cut[i] > 0 {
			fmt.Fprintf(&b, " [... %s left out of this line; search_files finds text in it]", wording.Counted(l.Cut[i], "more byte"))
		}
		b.WriteByte('\n')
	}
	last := l.Start + len(l.Text) - 1
	switch {
	case l.Truncated:
		fmt.Fprintf(&b, "[... truncated, showing lines %d-%d, total lines in file: %d; continue with start_line=%d]",
			l.Start, last, l.Total, last+1)
	case a.StartLine > 0 || a.EndLine > 0:
		fmt.Fprintf(&b, "[Showing lines %d-%d of %d total]", l.Start, last, l.Total)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
