package tools

import (
	"context"
	"fmt"
	"path"
	"reflect"
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
	Path    string  `json:"path,omitempty" note:"true"`
	Pattern string  `json:"file_pattern,omitempty"`
	Tag     string  `json:"tag,omitempty"`
	Key     string  `json:"key,omitempty"`
	Value   *string `json:"value,omitempty"`
	Ignored bool    `json:"include_ignored,omitempty"`
}

// check returns an error unless a call gives either the path of a note or a filter with a condition.
func (w *where) check(tool, path string) error {
	switch {
	case w == nil && path == "":
		return wording.Sentence(`Missing argument "path" for %s. For many notes at once give "where" instead.`, tool)
	case w == nil:
		return nil
	case path != "":
		return wording.Sentence(`path and where cannot be combined: path is one note, where is many; a folder goes into "where": {"path": %q}.`, path)
	case w.Path+w.Pattern+w.Tag+w.Key == "":
		return wording.Sentence(`where is empty. Give path, file_pattern, tag or key; {"path": "."} is every note.`)
	case w.Value != nil && w.Key == "":
		return wording.Sentence(`where.value needs "key": {"key": "status", "value": "draft"}.`)
	}
	return nil
}

// filter returns the query for the notes.
func (w *where) filter() query.Filter {
	return query.Filter{
		Scope: query.Scope{Path: w.Path, Pattern: w.Pattern, Ignored: w.Ignored},
		Tag:   strings.TrimSpace(w.Tag), Key: strings.TrimSpace(w.Key), Value: w.Value,
	}
}

// target describes the notes for a label: "notes with #a in Projects".
func (w *where) target() string {
	var with []string
	if w.Tag != "" {
		with = append(with, "with #"+strings.Trim(w.Tag, "#/ "))
	}
	if w.Key != "" && w.Value != nil {
		with = append(with, "with "+w.Key+": "+*w.Value)
	} else if w.Key != "" {
		with = append(with, "with "+w.Key)
	}
	return listing.ScopeTarget(strings.TrimSpace("notes "+strings.Join(with, " and ")), w.filter().Scope)
}

// manyEdit changes the notes that a filter selects, as one change.
type manyEdit struct {
	where *where
	has   func(text []byte) bool // notes without it are left out; nil for none
	// edit returns a note's new text and the number of changed places, 0 if there is nothing to do.
	edit func(f *vault.File) (after []byte, places int, err error)
	did  func(notes string, places int) string            // what was done
	none func(ctx context.Context, notes []string) Result // there is nothing to do in any of the notes
}

// maxChanged limits the notes named in the result of a change of many, maxLeft those left unchanged.
const maxChanged, maxLeft = 40, 20

// editMany makes one change of many notes. Notes that cannot be changed are left and named.
func (t *Turn) editMany(ctx context.Context, m manyEdit) Result {
	notes, missed, err := t.selected(ctx, m)
	if err != nil {
		return failed(toolOf(ctx), err)
	}
	r, same := vault.Request{Op: vault.OpRewrite}, 0
	for _, name := range notes {
		w := vault.Rewrite{Path: name, NewPath: name}
		f, err := t.vault.Read(ctx, name)
		if err == nil {
			if known := t.known.Hash(name); known != "" && known != f.Hash {
				err = wording.Sentence("%s changed on disk since you last read it.", wording.Quote(name))
			} else if w.Before = f.Data; vault.Binary(f.Data) {
				err = wording.Sentence("%s is not text.", wording.Quote(name))
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
		return m.none(ctx, notes)
	}
	c, err := t.makeChange(ctx, r, nil)
	switch {
	case err != nil:
		return failed(toolOf(ctx), err)
	case len(c.Rewrites) == 0:
		return failf("nothing changed", "Nothing was changed.%s", leftList(c.Refused))
	}
	t.known.Made("edited", c, nil, "")
	places, names := 0, make([]string, len(c.Rewrites))
	result := Result{}
	for i, w := range c.Rewrites {
		places += w.Links
		if names[i] = wording.PlainName(w.Path); w.Links > 1 {
			names[i] += fmt.Sprintf(" (%d)", w.Links)
		}
		if i < SampleNotes {
			result.Diff += textedit.ResultDiff(w.Path, string(w.Before), string(w.After))
		}
	}
	count := wording.Counted(len(c.Rewrites), "note")
	result.Summary = text.Join(", ", count, map[bool]string{true: fmt.Sprintf("%d left", len(c.Refused))}[len(c.Refused) > 0])
	result.Text = m.did(count, places)
	if same > 0 {
		result.Text += fmt.Sprintf(" %s needed no change.", wording.Counted(same, "other note"))
	}
	result.Text += "\n\n" + text.First(names, maxChanged) + leftList(c.Refused) + listing.MissedText(missed)
	return result
}

// leftList names the notes that a change of many left unchanged.
func leftList(left []vault.Refusal) string {
	if len(left) == 0 {
		return ""
	}
	b := "\n\nLeft unchanged:"
	for i, r := range left {
		if i == maxLeft {
			b += fmt.Sprintf("\n- and %d more", len(left)-i)
			break
		}
		why, _, _ := strings.Cut(strings.TrimPrefix(r.Why, "Error: "), " Nothing was ")
		if !strings.Contains(why, wording.Quote(r.Path)) {
			why = wording.Quote(r.Path) + ": " + why
		}
		b += "\n- " + wording.OneLine(why)
	}
	return b
}

// selected returns the notes of a change of many. None is an error that names the closest filter.
func (t *Turn) selected(ctx context.Context, m manyEdit) ([]string, query.Missed, error) {
	if _, err := t.resolveNotes(ctx, m.where, noteFields(reflect.TypeFor[where]())); err != nil {
		return nil, query.Missed{}, err
	}
	f := m.where.filter()
	f.Has = m.has
	notes, missed, err := t.vault.Query.Select(ctx, f)
	if err != nil || len(notes) > 0 {
		return notes, missed, err
	}
	if folder := fixedFolder(f.Pattern); folder != "." {
		if _, err := t.notes.Stat(ctx, folder); err != nil {
			return nil, missed, err
		}
	}
	if f.Has != nil {
		f.Has = nil
		if notes, missed, err = t.vault.Query.Select(ctx, f); err != nil || len(notes) > 0 {
			return notes, missed, err // m.none describes them
		}
	}
	return nil, missed, vaulterr.New(vaulterr.KindNotFound, "", "There are no %s; nothing was changed.%s%s", m.where.target(), t.nearFilter(ctx, f), listing.MissedText(missed))
}

// fixedFolder returns the folder that a glob names before its first wildcard, "." if none.
func fixedFolder(pattern string) string {
	if i := strings.IndexAny(pattern, `*?[{\`); i >= 0 {
		pattern = pattern[:i]
	}
	return path.Clean(pattern[:strings.LastIndexByte(pattern, '/')+1])
}

// nearFilter suggests what a filter that selects nothing probably means.
func (t *Turn) nearFilter(ctx context.Context, f query.Filter) string {
	said := ""
	if f.Tag != "" {
		said = t.nearTag(ctx, f.Tag, f.Scope)
	}
	if f.Key != "" {
		said += t.nearProperty(ctx, f.Key, f.Value, f.Scope)
	}
	return said
}

// nearProperty suggests the property, or its value, that was probably meant.
func (t *Turn) nearProperty(ctx context.Context, key string, value *string, scope query.Scope) string {
	found, err := t.vault.Query.Properties(ctx, scope)
	if err != nil {
		return ""
	}
	for _, use := range found.Uses {
		if strings.EqualFold(use.Key, key) {
			values := text.Of(use.Values, func(v query.PropertyValue) string { return wording.Shorten(v.Text, 60) })
			if value == nil || len(values) == 0 {
				return ""
			}
			if near := text.Near(*value, values); near != "" && !strings.EqualFold(near, *value) {
				return fmt.Sprintf(" Did you mean %s: %s?", use.Key, near)
			}
			return fmt.Sprintf(" The values of %s are: %s.", use.Key, text.First(values, 5))
		}
	}
	near := text.Near(key, text.Of(found.Uses, func(u query.PropertyUse) string { return u.Key }))
	if near == "" || strings.EqualFold(near, key) {
		return ""
	}
	return fmt.Sprintf(" Did you mean the property %s?", wording.Quote(near))
}
