package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/listing"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/query"
	"chatvault/vault/vaulterr"
)

// where selects the notes of a call that changes many, with the arguments of the tools that list them.
type where struct {
	Path    string  `json:"path,omitempty"`
	Pattern string  `json:"file_pattern,omitempty"`
	Tag     string  `json:"tag,omitempty"`
	Key     string  `json:"key,omitempty"`
	Value   *string `json:"value,omitempty"`
}

// check returns an error unless a call gives either the path of a note or a filter with a condition.
func (w *where) check(tool, path string) error {
	switch {
	case w == nil && path == "":
		return wording.Sentence(`Missing argument "path" for %s. For many notes at once give "where" instead.`, tool)
	case w != nil && path != "":
		return wording.Sentence(`path and where cannot be combined: path is one note; a folder goes into "where": {"path": %q}.`, path)
	case w != nil && (w.Path+w.Pattern+w.Tag+w.Key == "" || w.Value != nil && w.Key == ""):
		return wording.Sentence(`where needs path, file_pattern, tag, or key with or without value; {"path": "."} is every note.`)
	}
	return nil
}

func (w *where) scope() query.Scope {
	return query.Scope{Path: w.Path, Pattern: w.Pattern}
}

// target describes the notes for a label: "notes with #a in Projects".
func (w *where) target() string {
	what := "notes"
	if w.Tag+w.Key+w.Pattern == "" && listing.IsRoot(w.Path) {
		what = "all notes"
	}
	if w.Tag != "" {
		what += " with #" + tagName(w.Tag)
	}
	if w.Key != "" {
		what += " with " + w.Key
	}
	if w.Value != nil {
		what += ": " + *w.Value
	}
	return listing.ScopeTarget(what, w.scope())
}

// manyEdit changes the notes that a filter selects, as one change.
type manyEdit struct {
	where
	text string // what they contain; empty for anything
	// edit returns a note's new text and the number of changed places, 0 if there is nothing to do.
	edit func(f *vault.File) (after []byte, places int, err error)
	did  string // what was done: "Set done: true"
}

// maxChanged limits the notes named in the result of a change of many, maxLeft those left unchanged.
const maxChanged, maxLeft = 40, 20

// editMany makes one change of many notes. Notes that cannot be changed are left and named.
func (t *Turn) editMany(ctx context.Context, m manyEdit) Result {
	notes, missed, err := t.selected(ctx, &m)
	if err != nil {
		return failed(toolOf(ctx), err)
	}
	r, same := vault.Request{Op: vault.OpRewrite}, 0
	for _, name := range notes {
		w := vault.Rewrite{Path: name, NewPath: name}
		f, err := t.vault.Read(ctx, name)
		if err == nil {
			w.Before = f.Data
			if known := t.known.Hash(name); known != "" && known != f.Hash {
				err = wording.Sentence("%s changed on disk since you last read it.", wording.Quote(name))
			} else {
				w.After, w.Links, err = m.edit(f)
			}
		}
		switch {
		case ctx.Err() != nil:
			return stopped(toolOf(ctx))
		case err != nil:
			r.Left = append(r.Left, vault.Refusal{Path: name, Why: err.Error()})
		case w.Links == 0:
			same++
		default:
			r.Rewrites = append(r.Rewrites, w)
		}
	}
	if len(r.Rewrites)+len(r.Left) == 0 {
		return textf("unchanged", "%s %s as requested already; nothing was changed.", wording.Counted(same, "note"), map[bool]string{true: "is", false: "are"}[same == 1])
	}
	c, err := t.makeChange(ctx, r, nil)
	switch {
	case err != nil:
		return failed(toolOf(ctx), err)
	case len(c.Rewrites) == 0:
		return failf("nothing changed", "Nothing was changed.%s", leftText(c.Refused))
	}
	t.known.Made("edited", c, "")
	edited := slices.DeleteFunc(slices.Clone(c.Rewrites), func(w vault.Rewrite) bool { return !slices.Contains(notes, w.Path) })
	result := textf(wording.Counted(len(edited), "note"), "%s in %s.", m.did, wording.Counted(len(edited), "note")).withNote(vault.Change{Note: c.Note})
	if same > 0 {
		result.Text += fmt.Sprintf(" %s needed no change.", wording.Counted(same, "more note"))
	}
	if linked := c.Rewrites[len(edited):]; len(linked) > 0 {
		result.Text += fmt.Sprintf(" Links to renamed headings were updated in %s: %s.", wording.Counted(len(linked), "more note"), text.First(text.Of(linked, placesText), maxLeft))
	}
	result.Text += "\n\n" + text.First(text.Of(edited, placesText), maxChanged) + leftText(c.Refused) + leftOut(missed)
	for _, w := range c.Rewrites[:min(len(c.Rewrites), SampleNotes)] {
		result.Diff += textedit.ResultDiff(w.Path, string(w.Before), string(w.After)) + "\n"
	}
	return result
}

// leftOut describes the files that a change of many did not look at.
func leftOut(m query.Missed) string {
	excluded := ""
	if n := m.Excluded; n > 0 {
		excluded = fmt.Sprintf("\n\n[%s that Obsidian's settings exclude left out; name the folder with where.path]", wording.Counted(n, "file"))
	}
	return listing.SkippedText(m.Skipped) + excluded
}

// placesText names a changed note, with the number of changed places if there are several.
func placesText(w vault.Rewrite) string {
	if w.Links > 1 {
		return fmt.Sprintf("%s (%d)", wording.PlainName(w.Path), w.Links)
	}
	return wording.PlainName(w.Path)
}

// leftText names the notes that a change of many left unchanged.
func leftText(left []vault.Refusal) string {
	b := ""
	for i, r := range left {
		if i == maxLeft {
			return b + fmt.Sprintf("\n- and %d more", len(left)-i)
		}
		why, _, _ := strings.Cut(wording.OneLine(strings.TrimPrefix(r.Why, "Error: ")), " Nothing was ")
		if !strings.Contains(why, wording.Quote(r.Path)) {
			why = wording.Quote(r.Path) + ": " + why
		}
		b += map[bool]string{true: "\n\nLeft unchanged:"}[i == 0] + "\n- " + why
	}
	return b
}

// selected returns the notes of a change of many. If there are none, the error names what was probably meant.
func (t *Turn) selected(ctx context.Context, m *manyEdit) ([]string, query.Missed, error) {
	line, _, _ := strings.Cut(m.text, "\n")
	f := query.Filter{Scope: m.scope(), Tag: tagName(m.Tag), Key: strings.TrimSpace(m.Key), Value: m.Value, Text: strings.TrimSuffix(line, "\r")}
	notes, missed, err := t.vault.Query.Select(ctx, f)
	if err != nil || len(notes) > 0 {
		return notes, missed, err
	}
	fixed, _, _ := strings.Cut(m.Pattern, "*")
	if folder := path.Dir(fixed + "x"); folder != "." {
		if _, err := t.notes.Stat(ctx, folder); err != nil {
			return nil, missed, err
		}
	}
	what := strings.TrimPrefix(m.target(), "all ")
	if m.text != "" {
		what += " that contain " + wording.Quote(wording.Shorten(m.text, 80))
	}
	return nil, missed, vaulterr.New(vaulterr.KindNotFound, "", "There are no %s; nothing was changed.%s%s", what, t.nearest(ctx, f), leftOut(missed))
}

// nearest suggests the tag or property that a filter that selects nothing probably means.
func (t *Turn) nearest(ctx context.Context, f query.Filter) string {
	if f.Tag != "" {
		return t.nearTag(ctx, f.Tag, f.Scope)
	}
	found, _ := t.vault.Query.Properties(ctx, f.Scope)
	near := text.Near(f.Key, text.Of(found.Uses, func(use query.PropertyUse) string { return use.Key }))
	if near == "" || strings.EqualFold(near, f.Key) {
		return ""
	}
	return fmt.Sprintf(" Did you mean the property %s?", wording.Quote(near))
}
