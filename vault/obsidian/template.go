package obsidian

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// templateVariable matches a variable of the templates of Obsidian and Periodic Notes: {{title}}, {{time}} or a day
// such as {{date}}, {{date+1w}} or {{monday}}, the last with an optional format after a colon.
var templateVariable = lazyregexp.New(`(?i)\{\{\s*(title|date|time|yesterday|tomorrow|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\s*(?:([+-]\d{1,4})([dwmqy])\s*)?(?::(.*?))?\}\}`)

// fillTemplate replaces the variables of a template. when provides the date and time of the note.
func fillTemplate(text, title string, when time.Time, s templateSettings) string {
	return templateVariable().ReplaceAllStringFunc(text, func(found string) string {
		parts := templateVariable().FindStringSubmatch(found)
		format, name := strings.TrimSpace(parts[4]), strings.ToLower(parts[1])
		n, _ := strconv.Atoi(parts[2])
		unit := map[string][3]int{"d": {0, 0, 1}, "w": {0, 0, 7}, "m": {0, 1, 0}, "q": {0, 3, 0}, "y": {1, 0, 0}}[strings.ToLower(parts[3])]
		day := when.AddDate(n*unit[0], n*unit[1], n*unit[2])
		switch name {
		case "title":
			if parts[2] != "" || format != "" {
				return found // titles have no format
			}
			return title
		case "date":
		case "time":
			return s.locale.Format(cmp.Or(format, s.TimeFormat), day)
		case "yesterday":
			day = day.AddDate(0, 0, -1)
		case "tomorrow":
			day = day.AddDate(0, 0, 1)
		default: // a day of the same week
			day = startOf(1, day, s.locale)
			for !strings.EqualFold(day.Weekday().String(), name) {
				day = day.AddDate(0, 0, 1)
			}
		}
		return s.locale.Format(cmp.Or(format, s.DateFormat), day)
	})
}

// Template is a note that serves as a template.
type Template struct {
	Path      string // true name
	Text      string // with the variables replaced
	Templater bool   // the text contains code of the Templater plugin, unchanged
}

// maxTemplatesNamed limits the templates listed in an error.
const maxTemplatesNamed = 20

// Template reads a template by name, as Obsidian's core plugin does: a note in the templates folder by its name, or
// any note by its path. title is the title of the new note; when provides {{date}} and {{time}}. A KindNotFound error
// lists the existing templates.
func (v App) Template(ctx context.Context, name, title string, when time.Time) (Template, error) {
	s := v.templateSettings()
	given := strings.Trim(strings.TrimSpace(name), "/")
	folder := v.inSight(s.Folder)
	var all, candidates []string
	if folder != "" {
		all, candidates = v.notesIn(ctx, folder), []string{path.Join(folder, given) + ".md", path.Join(folder, given)}
	}
	t, err := v.readTemplate(ctx, s, append(candidates, given+".md", given, named(all, given)), title, when)
	if t.Path != "" || err != nil && !errors.Is(err, vaulterr.KindNotFound) {
		return t, err
	}
	there := "Obsidian's settings name no template folder; give the path of a note to start from."
	if folder != "" {
		there = "The template folder " + vaulterr.Quote(folder+"/") + " is empty."
		if len(all) > 0 {
			for i, t := range all {
				all[i] = strings.TrimSuffix(strings.TrimPrefix(t, folder+"/"), ".md")
			}
			there = "Available: " + vaulterr.QuoteAll(all, maxTemplatesNamed) + "."
		}
	}
	return Template{}, vaulterr.New(vaulterr.KindNotFound, given, "No template is called %s. %s", vaulterr.Quote(given), there)
}

// readTemplate reads the first of the candidates that is a file. The error is KindNotFound if there is none.
func (v App) readTemplate(ctx context.Context, s templateSettings, candidates []string, title string, when time.Time) (Template, error) {
	for _, c := range candidates {
		found, data, err := v.of.Text(ctx, c, maxTemplate)
		switch {
		case c == "", found == "":
			continue
		case err != nil:
			return Template{}, vaulterr.New(vaulterr.KindBinary, found, "The template %s cannot be used: %s.", vaulterr.Quote(found), err)
		}
		text := fillTemplate(string(data), title, when, s)
		return Template{Path: found, Text: text, Templater: strings.Contains(text, "<%")}, nil
	}
	return Template{}, vaulterr.KindNotFound
}

// named returns the shortest of the paths of notes with a name, with or without its extension, or "" if there is none.
func named(notes []string, name string) (best string) {
	want := pathname.Fold(strings.TrimSuffix(name, ".md") + ".md")
	for _, n := range notes {
		if pathname.Fold(path.Base(n)) == want && (best == "" || len(n) < len(best)) {
			best = n
		}
	}
	return best
}

// IsTemplate returns a function that reports whether a note is in the templates folder of Obsidian's settings or of
// the Templater plugin.
func (v App) IsTemplate() func(path string) bool {
	var plugin struct {
		Folder string `json:"templates_folder"`
	}
	v.read("plugins/templater-obsidian/data.json", &plugin)
	var below []string
	for _, folder := range []string{v.templateSettings().Folder, plugin.Folder} {
		if folder = v.inSight(folder); folder != "" {
			below = append(below, pathname.Fold(folder)+"/")
		}
	}
	return func(path string) bool {
		return slices.ContainsFunc(below, func(b string) bool { return strings.HasPrefix(pathname.Fold(path), b) })
	}
}

// notesIn returns the notes in a folder, sorted by name; "" is the vault.
func (v App) notesIn(ctx context.Context, folder string) (all []string) {
	v.of.Source().EachName(ctx, maxTemplateSearch, func(name string, isFolder bool) bool {
		if !isFolder && pathname.IsNote(name) && (folder == "" || pathname.In(pathname.Fold(name), pathname.Fold(folder))) {
			all = append(all, name)
		}
		return true
	})
	slices.Sort(all)
	return all
}
