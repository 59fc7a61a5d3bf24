package obsidian

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"

	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/moment"
	"chatvault/vault/pathname"
)

// DailyNote is the note of one day, where Obsidian's daily notes have it.
type DailyNote struct {
	Path     string // its true name; where there is none yet, the one it would get
	Exists   bool
	Template string // true name of the note that a new one begins as; "": it begins empty
	Begin    string // the text that a new one begins with, variables filled in
	Note     string // a sentence the user should hear, mostly ""
	Default  bool   // no settings say where daily notes go; this is where Obsidian has them then
}

// dailySettings are those of the daily notes (.obsidian/daily-notes.json) and of the templates
// (.obsidian/templates.json).
type dailySettings struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`
	Template string `json:"template"`

	DateFormat string `json:"dateFormat"` // of {{date}}
	TimeFormat string `json:"timeFormat"` // of {{time}}
	templates  string // the folder of templates, as it is set

	missing bool // those of the daily notes, or they cannot be read
}

func (v App) dailySettings() dailySettings {
	s := dailySettings{}
	if data, err := v.readOwn("templates.json"); err == nil {
		_ = json.Unmarshal(data, &s) // what cannot be read counts as not set
	}
	s.templates = s.Folder
	s.Folder, s.Format, s.Template = "", "", "" // those of templates.json mean something else
	data, err := v.readOwn("daily-notes.json")
	if s.missing = err != nil || !json.Valid(data); !s.missing {
		dates, times := s.DateFormat, s.TimeFormat
		_ = json.Unmarshal(data, &s)
		s.DateFormat, s.TimeFormat = dates, times
	}
	s.Format = cmp.Or(strings.TrimSpace(s.Format), "YYYY-MM-DD")
	s.DateFormat = cmp.Or(strings.TrimSpace(s.DateFormat), "YYYY-MM-DD")
	s.TimeFormat = cmp.Or(strings.TrimSpace(s.TimeFormat), "HH:mm")
	return s
}

// DailyNote says where the note of a day is and, where there is none yet, what a new one begins
// with. The time of day of day is what {{time}} of the template is.
func (v App) DailyNote(ctx context.Context, day time.Time) (DailyNote, error) {
	s := v.dailySettings()
	name := moment.Format(s.Format, day)
	if !strings.EqualFold(path.Ext(name), ".md") {
		name += ".md"
	}
	given := path.Join(strings.Trim(s.Folder, "/"), name)
	clean, err := pathname.Clean(given)
	if err != nil {
		return DailyNote{}, failure.New(failure.KindDenied, given, "Obsidian's settings put the daily notes in an invalid place: %s Ask the user to change the folder or the format there.", err)
	}
	if v.of.Private(clean) {
		// Its name comes from the settings, which only the program may read.
		return DailyNote{}, failure.New(failure.KindDenied, given, "Access denied: the daily notes are private; the user hides them from you. Continue without them.")
	}
	found, err := v.of.File(ctx, clean)
	switch {
	case err == nil:
		return DailyNote{Path: found, Exists: true, Default: s.missing}, nil
	case !errors.Is(err, failure.KindNotFound):
		return DailyNote{}, err
	}
	d := DailyNote{Path: clean, Default: s.missing}
	if s.Template != "" {
		d.Template, d.Begin = v.dailyTemplate(ctx, s, strings.TrimSuffix(path.Base(clean), path.Ext(clean)), day)
		if d.Template == "" {
			d.Note = "The template that Obsidian's settings name for daily notes could not be used, so the note begins without it."
		}
	}
	return d, nil
}

const (
	maxTemplate       = 1 << 20 // bytes of a template
	maxTemplateSearch = 200_000 // entries of the vault among which it is looked for
)

// dailyTemplate reads the template and fills it in; name is "" where it cannot be used.
func (v App) dailyTemplate(ctx context.Context, s dailySettings, title string, day time.Time) (name, text string) {
	for _, candidate := range v.templateNames(ctx, s.Template) {
		name, data, err := v.of.Text(ctx, candidate, maxTemplate)
		if name == "" {
			continue
		}
		if err != nil {
			return "", ""
		}
		return name, fillTemplate(string(data), title, day, s.DateFormat, s.TimeFormat)
	}
	return "", ""
}

// templateNames are where a template may be: the setting leaves the extension out, and may be
// the note's name alone.
func (v App) templateNames(ctx context.Context, setting string) []string {
	setting = strings.Trim(setting, "/")
	names := []string{setting + ".md", setting}
	if strings.Contains(setting, "/") {
		return names
	}
	want, best := fold.Name(strings.TrimSuffix(setting, ".md")+".md"), ""
	v.of.Source().EachName(ctx, maxTemplateSearch, func(name string, folder bool) bool {
		if !folder && fold.Name(path.Base(name)) == want && (best == "" || len(name) < len(best)) {
			best = name
		}
		return true
	})
	if best != "" {
		names = append(names, best)
	}
	return names
}
