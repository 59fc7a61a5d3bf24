package tools

import (
	"context"
	"fmt"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault/query"
)

type getTagsArgs struct {
	Tag        string `json:"tag,omitempty"`
	Path       string `json:"path,omitempty" note:"true" jsonschema:"note or folder"`
	Ignored    bool   `json:"include_ignored,omitempty"`
	MaxResults int    `json:"max_results,omitempty" min:"1"`
}

// tagsFound is the data of get_tags: all tags, or the notes with one.
type tagsFound struct {
	Tags  []query.TagCount `json:"tags,omitempty" jsonschema:"most used first"`
	Notes []tagInNote      `json:"notes,omitempty" jsonschema:"if a tag was given"`
	remainder
}

type tagInNote struct {
	Path  string `json:"path"`
	Lines []int  `json:"lines" jsonschema:"the first ones"`
}

var _ = define(definition{
	name:    "get_tags",
	output:  DataSchema[tagsFound],
	traits:  Traits{Verb: "looking at tags", Did: "looked at tags", Kind: CallReads, Spare: true},
	example: `{"tag": "project/alpha"}`,
}, runGetTags, func(a getTagsArgs) string {
	what := ""
	if a.Tag != "" {
		what = "#" + strings.TrimLeft(a.Tag, "#")
	}
	return listing.ScopeTarget(what, query.Scope{Path: a.Path})
})

func runGetTags(ctx context.Context, t *Turn, a getTagsArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	if tag := strings.Trim(strings.TrimSpace(a.Tag), "#/"); tag != "" {
		return t.tagged(ctx, tag, scope, a.MaxResults)
	}
	if a.Tag != "" {
		return failf("invalid arguments", `%s is not a tag. Give one such as "project/alpha", or leave "tag" out for all tags.`, wording.Quote(wording.Shorten(a.Tag, 40)))
	}
	counts, err := t.vault.Query.Tags(ctx, scope)
	if err != nil {
		return failed("get_tags", err)
	}
	var data tagsFound
	l := listing.New(a.MaxResults)
	for _, tag := range counts.Tags {
		tag.Name = "#" + wording.Shorten(tag.Name, listing.MaxLine)
		line := fmt.Sprintf("%s: %s", tag.Name, wording.Counted(tag.Notes, "note"))
		switch tag.Own {
		case tag.Notes:
		case 0:
			line += ", by nested tags only"
		default:
			line += fmt.Sprintf(", %d of them with the tag itself", tag.Own)
		}
		listing.AddTo(l, &data.Tags, tag, "%s\n", line)
	}
	return listed(l, fmt.Sprintf("Found %d tag(s) in %d of %s, most used first:\n\n", len(counts.Tags), counts.Notes, wording.Counted(counts.All, "note")),
		fmt.Sprintf("There are no tags in %s (%s).", listing.ScopeName(scope), wording.Counted(counts.All, "note")),
		len(counts.Tags), "tag", "name a folder with path", listing.MissedText(counts.Missed), &data)
}

// tagged lists the notes with a tag.
func (t *Turn) tagged(ctx context.Context, tag string, scope query.Scope, most int) Result {
	found, missed, err := t.vault.Query.Tagged(ctx, tag, scope)
	if err != nil {
		return failed("get_tags", err)
	}
	var data tagsFound
	l := listing.New(most)
	for _, n := range found {
		var where []string
		in := tagInNote{Path: n.Path, Lines: []int{}}
		for i, has := range n.Tags {
			if i == listing.NotesNamed {
				where = append(where, fmt.Sprintf("%d more", len(n.Tags)-i))
				break
			}
			in.Lines = append(in.Lines, has.Line)
			text := fmt.Sprintf("line %d", has.Line)
			if !strings.EqualFold(has.Name, tag) {
				text += " #" + wording.Shorten(has.Name, 80)
			}
			where = append(where, text)
		}
		listing.AddTo(l, &data.Notes, in, "%s (%s)\n", wording.PlainName(in.Path), strings.Join(where, ", "))
	}
	none := ""
	if len(found) == 0 {
		none = fmt.Sprintf("No note in %s has the tag #%s.%s", listing.ScopeName(scope), wording.Shorten(tag, 80), t.nearTag(ctx, tag, scope))
	}
	return listed(l, fmt.Sprintf("Found %d note(s) in %s with #%s:\n\n", len(found), listing.ScopeName(scope), wording.Shorten(tag, 80)), none,
		len(found), "note", "name a folder with path", listing.MissedText(missed), &data)
}

// nearTag suggests the tag that was probably meant.
func (t *Turn) nearTag(ctx context.Context, tag string, scope query.Scope) string {
	counts, err := t.vault.Query.Tags(ctx, scope)
	if err != nil {
		return ""
	}
	if near := text.Near(tag, text.Of(counts.Tags, func(c query.TagCount) string { return c.Name })); near != "" {
		return fmt.Sprintf(" Did you mean #%s?", near)
	}
	return ""
}
