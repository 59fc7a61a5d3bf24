package obsidian

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"chatvault/vault/moment"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// DailyNote is the daily note of a day according to Obsidian's settings.
type DailyNote struct {
	Path     string // true name; if it does not exist yet, the path for it
	Exists   bool
	Template string // true name of the template of a new note; "" if none
	Begin    string // initial text of a new note, with the template's variables replaced
	Note     string // a sentence for the user, usually ""
	Default  bool   // the settings name no place for daily notes, so this is Obsidian's default
}

// dailySettings are the settings of daily notes (.obsidian/daily-notes.json).
type dailySettings struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`
	Template string `json:"template"`

	missing   bool // they are missing or unreadable
	templates templateSettings
}

// templateSettings are the settings of templates (.obsidian/templates.json).
type templateSettings struct {
	Folder     string `json:"folder"`     // as configured
	DateFormat string `json:"dateFormat"` // of {{date}}
	TimeFormat string `json:"timeFormat"` // of {{time}}
}

func (v App) dailySettings() (s dailySettings) {
	v.read("templates.json", &s.templates)
	s.missing = !v.read("daily-notes.json", &s)
	s.Format = cmp.Or(strings.TrimSpace(s.Format), "YYYY-MM-DD")
	s.templates.DateFormat = cmp.Or(strings.TrimSpace(s.templates.DateFormat), "YYYY-MM-DD")
	s.templates.TimeFormat = cmp.Or(strings.TrimSpace(s.templates.TimeFormat), "HH:mm")
	return s
}

// DailyNote returns the path of a day's note and, if it does not exist yet, its initial text. The time of day of day
// is used for {{time}}.
func (v App) DailyNote(ctx context.Context, day time.Time) (DailyNote, error) {
	s := v.dailySettings()
	name := moment.Format(s.Format, day)
	if !strings.EqualFold(path.Ext(name), ".md") {
		name += ".md"
	}
	given := path.Join(strings.Trim(s.Folder, "/"), name)
	clean, err := pathname.Clean(given)
	if err != nil {
		return DailyNote{}, vaulterr.New(vaulterr.KindDenied, given, "Obsidian's settings put the daily notes in an invalid place: %s Ask the user to change the folder or the format there.", err)
	}
	if v.of.Private(clean) {
		// The name comes from the settings, which tools cannot read.
		return DailyNote{}, vaulterr.New(vaulterr.KindDenied, given, "Access denied: the daily notes are private; the user hides them from you. Continue without them.")
	}
	found, err := v.of.File(ctx, clean)
	switch {
	case err == nil:
		return DailyNote{Path: found, Exists: true, Default: s.missing}, nil
	case !errors.Is(err, vaulterr.KindNotFound):
		return DailyNote{}, err
	}
	d := DailyNote{Path: clean, Default: s.missing}
	if s.Template != "" {
		t, err := v.readTemplate(ctx, s, v.templateNames(ctx, s.Template), strings.TrimSuffix(path.Base(clean), path.Ext(clean)), day)
		if err != nil {
			d.Note = "The template that Obsidian's settings name for daily notes could not be used, so the note begins without it."
		}
		d.Template, d.Begin = t.Path, t.Text
	}
	return d, nil
}

const (
	maxTemplate       = 1 << 20 // in bytes
	maxTemplateSearch = 200_000 // entries of the vault that are searched for it
)

// templateNames returns the possible paths of a template: the setting omits the extension and may be a bare name.
func (v App) templateNames(ctx context.Context, setting string) []string {
	setting = strings.Trim(setting, "/")
	names := []string{setting + ".md", setting}
	if !strings.Contains(setting, "/") {
		names = append(names, named(v.notesIn(ctx, ""), setting))
	}
	return names
}
