package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"chatvault/internal/app/session/cite"
	"chatvault/vault"
	"chatvault/vault/link"
	"chatvault/vault/pathname"
)

// Preview is a note, or a part of it, for display.
type Preview struct {
	Path     string // actual path
	Text     string // bounded excerpt, unchanged
	Markdown bool
	First    int    // line of the file at which Text begins, from 1
	Line     int    // requested line of the file, from 1; zero if none was requested or it does not exist
	Note     string // remark such as "There is no heading “Sugar” in it"; may be empty
}

// Citations resolves the references of answers to files of the vault. It is safe for concurrent use.
type Citations struct{ vault *vault.Vault }

// Resolve returns the destinations of references.
func (c *Citations) Resolve(ctx context.Context, refs []cite.Reference) ([]cite.Destination, error) {
	names, err := c.vault.Query.LinkNames(ctx)
	if err != nil {
		return nil, err
	}
	where := make([]cite.Destination, len(refs))
	for i, r := range refs {
		where[i] = destination(names, r)
	}
	return where, nil
}

// File returns the absolute path of a note's file.
func (c *Citations) File(ctx context.Context, note string) (string, error) {
	if _, err := c.vault.Stat(ctx, note); err != nil {
		return "", err
	}
	return filepath.Join(c.vault.Dir(), filepath.FromSlash(note)), nil
}

// destination resolves a reference by the names of the vault's files. Answers are not in a note, so paths are
// relative to the vault's root.
func destination(names *link.Names, r cite.Reference) cite.Destination {
	kind := link.Wiki
	if r.Form != cite.Wiki {
		kind = link.Markdown
	}
	if r.Target != "" {
		for _, at := range r.Starts() {
			if p, ok := names.Resolve("", link.Link{Kind: kind, Path: r.Target[at:]}); ok && p != "" && !strings.HasSuffix(p, "/") {
				return cite.Destination{Finding: cite.Finding{State: cite.Found, Start: at}, Path: p}
			}
		}
	}
	return cite.Destination{Finding: cite.Finding{State: cite.Missing}}
}

// Limits of a preview, in bytes.
const (
	maxPreviewed = 16 << 20 // longer notes are not read
	maxPreview   = 256 << 10
)

// Preview reads the cited part of a note.
func (c *Citations) Preview(ctx context.Context, at cite.Citation) (Preview, error) {
	info, err := c.vault.Stat(ctx, at.Path)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Path: info.Path, First: 1, Markdown: pathname.IsNote(info.Path)}
	if info.Size > maxPreviewed {
		return p, fmt.Errorf("it is too long to show here (%d MB)", info.Size>>20)
	}
	f, err := c.vault.Read(ctx, info.Path)
	if err != nil {
		return p, err
	}
	if !isText(f.Data) {
		return p, errors.New("it is not text")
	}
	p.Line, p.Note = lineOf(f.Data, at)
	p.Text, p.First = around(f.Data, p.Line)
	if p.Note == "" && len(p.Text) < len(f.Data) {
		p.Note = "Part of a long note"
	}
	return p, nil
}

// isText reports whether a file begins with text.
func isText(data []byte) bool {
	head := data[:min(len(data), 8<<10)]
	for cut := 0; cut < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head) && len(head) < len(data); cut++ {
		head = head[:len(head)-1] // a rune may be cut
	}
	return utf8.Valid(head) && bytes.IndexByte(head, 0) < 0
}

// lineOf returns the line that a citation names, or 0 if it does not exist, and a remark about it.
func lineOf(data []byte, at cite.Citation) (line int, about string) {
	if at.Line > 0 {
		lines := bytes.Count(data, []byte("\n"))
		if len(data) > 0 && data[len(data)-1] != '\n' {
			lines++
		}
		if at.Line > lines {
			return lines, fmt.Sprintf("It has no line %d; it ends here", at.Line)
		}
		return at.Line, ""
	}
	anchor := strings.Trim(at.Anchor, "# ")
	if anchor == "" {
		return 0, ""
	}
	if line = link.NewSections(data).Line(anchor); line > 0 {
		return line, ""
	}
	if strings.HasPrefix(anchor, "^") {
		return 0, "There is no block " + anchor + " in it"
	}
	return 0, "There is no heading “" + strings.ReplaceAll(anchor, "#", " › ") + "” in it"
}

// around returns the text around a line that a preview shows, and the number of its first line.
func around(data []byte, line int) (text string, first int) {
	if len(data) <= maxPreview {
		return string(data), 1
	}
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(data[at:], '\n') + 1
	}
	from := max(at-maxPreview/2, 0)
	part := data[from:min(from+maxPreview, len(data))]
	return string(bytes.ToValidUTF8(part, nil)), bytes.Count(data[:from], []byte("\n")) + 1
}

// ObsidianURL returns the URL that opens a citation's note in Obsidian.
func ObsidianURL(vaultName string, c cite.Citation) string {
	file := c.Path
	if pathname.HasSuffix(file, ".md") {
		file = file[:len(file)-len(".md")]
	}
	return "obsidian://open?vault=" + queryEscape(vaultName) + "&file=" + queryEscape(file+c.Anchor)
}

// queryEscape escapes a query value with spaces as %20: Obsidian does not decode +.
func queryEscape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
