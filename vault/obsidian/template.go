package obsidian

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/internal/lazyregexp"
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/moment"
	"chatvault/vault/pathname"
)

// templateVariable is a variable of Obsidian's templates: {{title}}, {{date}}, {{time}}, the
// last two with a format after a colon.
var templateVariable = lazyregexp.New(`(?i)\{\{\s*(title|date|time)\s*(?::(.*?))?\}\}`)

// fillTemplate puts the variables of a template in: the note's title, and when, whose date and
// time of day are those the note is made for.
func fillTemplate(text, title string, when time.Time, dateFormat, timeFormat string) string {
	return templateVariable().ReplaceAllStringFunc(text, func(found string) string {
		parts := templateVariable().FindStringSubmatch(found)
		format := strings.TrimSpace(parts[2])
		switch strings.ToLower(parts[1]) {
		case "title":
			if format != "" {
				return found // no such variable
			}
			return title
		case "date":
			return moment.Format(cmp.Or(format, dateFormat), when)
		default:
			return moment.Format(cmp.Or(format, timeFormat), when)
		}
	})
}

// Template is a note of the vault that a new note begins as.
type Template struct {
	Path      string // true name
	Text      string // with the variables filled in
	Templater bool   // it has code of the plugin Templater, which stands in Text as it is
}

// maxTemplatesNamed bounds how many templates an error names.
const maxTemplatesNamed = 20

// Template reads the template of a name, as Obsidian's core plugin has it: a note of its folder of
// templates, by its name, or any note by its path. title is that of the new note, when is what {{date}}
// and {{time}} are. An error of kind NotFound names the templates there are.
func (v App) Template(ctx context.Context, name, title string, when time.Time) (Template, error) {
	s := v.dailySettings()
	given := strings.Trim(strings.TrimSpace(name), "/")
	folder := v.inSight(s.templates)
	all := v.templatesIn(ctx, folder)
	var candidates []string
	if folder != "" {
		candidates = []string{path.Join(folder, given) + ".md", path.Join(folder, given)}
	}
	want, best := fold.Name(strings.TrimSuffix(given, ".md")+".md"), ""
	for _, t := range all {
		if fold.Name(path.Base(t)) == want && (best == "" || len(t) < len(best)) {
			best = t
		}
	}
	candidates = append(candidates, given+".md", given, best)
	for _, c := range candidates {
		if c == "" {
			continue
		}
		found, data, err := v.of.Text(ctx, c, maxTemplate)
		switch {
		case found == "", errors.Is(err, failure.KindIsFolder):
			continue
		case err != nil:
			return Template{}, failure.New(failure.KindBinary, found, "The template %s cannot be used: %s.", failure.Quote(found), err)
		}
		text := fillTemplate(string(data), title, when, s.DateFormat, s.TimeFormat)
		return Template{Path: found, Text: text, Templater: strings.Contains(text, "<%")}, nil
	}
	there := "Obsidian's settings name no template folder; give the path of a note to start from."
	if folder != "" {
		there = "The template folder " + failure.Quote(folder+"/") + " is empty."
		if len(all) > 0 {
			for i, t := range all {
				all[i] = strings.TrimSuffix(strings.TrimPrefix(t, folder+"/"), ".md")
			}
			there = "Available: " + failure.QuoteAll(all, maxTemplatesNamed) + "."
		}
	}
	return Template{}, failure.New(failure.KindNotFound, given, "No template is called %s. %s", failure.Quote(given), there)
}

// IsTemplate returns a function that reports whether a note is in the folder of templates that Obsidian's
// settings name, or in that of the plugin Templater.
func (v App) IsTemplate() func(path string) bool {
	var plugin struct {
		Folder string `json:"templates_folder"`
	}
	if data, _, err := v.of.Own(".obsidian/plugins/templater-obsidian", "data.json"); err == nil {
		_ = json.Unmarshal(data, &plugin) // if it cannot be read, it counts as not set
	}
	var below []string
	for _, folder := range []string{v.dailySettings().templates, plugin.Folder} {
		if folder = v.inSight(folder); folder != "" {
			below = append(below, fold.Name(folder)+"/")
		}
	}
	return func(path string) bool {
		return slices.ContainsFunc(below, func(b string) bool { return strings.HasPrefix(fold.Name(path), b) })
	}
}

// templatesIn are the notes of the folder of templates, by name.
func (v App) templatesIn(ctx context.Context, folder string) []string {
	if folder == "" {
		return nil
	}
	var all []string
	below := fold.Name(folder) + "/"
	v.of.Source().EachName(ctx, maxTemplateSearch, func(name string, isFolder bool) bool {
		if !isFolder && pathname.IsNote(name) && strings.HasPrefix(fold.Name(name), below) {
			all = append(all, name)
		}
		return true
	})
	slices.Sort(all)
	return all
}
