package obsidian

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/vault/moment"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// PeriodicNote is the note of a day, week, month, quarter or year according to Obsidian's settings.
type PeriodicNote struct {
	Path     string // true name; if it does not exist yet, the path for it
	Exists   bool
	Template string // true name of the template of a new note; "" if none
	Begin    string // initial text of a new note, with the template's variables replaced
	Note     string // a sentence for the user, usually ""
	Default  bool   // the settings name no place for these notes, so this is the default of Obsidian or its plugin
}

// Periods are the periods that have notes of their own.
var Periods = []string{"daily", "weekly", "monthly", "quarterly", "yearly"}

// periodFormats are the default formats of the notes of Periods.
var periodFormats = []string{"YYYY-MM-DD", "gggg-[W]ww", "YYYY-MM", "YYYY-[Q]Q", "YYYY"}

// noteSettings are the settings of the notes of a period.
type noteSettings struct {
	Folder       string `json:"folder"`
	Format       string `json:"format"`
	Template     string `json:"template"`
	TemplatePath string `json:"templatePath"` // of Periodic Notes 1.0
	Enabled      *bool  `json:"enabled"`      // nil means yes, if anything is set
}

// templateSettings are the settings of templates (.obsidian/templates.json).
type templateSettings struct {
	Folder     string `json:"folder"`     // as configured
	DateFormat string `json:"dateFormat"` // of {{date}}
	TimeFormat string `json:"timeFormat"` // of {{time}}

	locale *moment.Locale
	chosen bool // by the settings
}

func (v App) templateSettings() (s templateSettings) {
	v.read("templates.json", &s)
	s.DateFormat = cmp.Or(strings.TrimSpace(s.DateFormat), "YYYY-MM-DD")
	s.TimeFormat = cmp.Or(strings.TrimSpace(s.TimeFormat), "HH:mm")
	s.locale, s.chosen = v.locale()
	return s
}

// locale returns the language of dates: the one that the vault's settings choose, or the system's.
func (v App) locale() (l *moment.Locale, chosen bool) {
	var s struct {
		Locale    string `json:"localeOverride"`
		WeekStart string `json:"weekStart"`
	}
	v.read("app.json", &s)
	if s.Locale == "" && s.WeekStart == "" && v.enabled("calendar") {
		v.read("plugins/calendar/data.json", &s)
	}
	if s.Locale == "system-default" {
		s.Locale = ""
	}
	l = moment.LocaleOf(cmp.Or(s.Locale, os.Getenv("LC_ALL"), os.Getenv("LC_TIME"), os.Getenv("LANG")))
	if day := slices.Index([]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}, s.WeekStart); day >= 0 {
		l.Dow = day
	}
	return l, s.Locale != ""
}

// used returns the language in which the last notes of a period have their names; l if they are in none.
func (v App) used(ctx context.Context, l *moment.Locale, folder string, step int, day time.Time, name func(*moment.Locale, time.Time) string) *moment.Locale {
	if name(moment.LocaleOf("en"), day) == name(moment.LocaleOf("ja"), day) {
		return l // they name no month or weekday
	}
	there := map[string]bool{}
	for _, n := range v.notesIn(ctx, folder) {
		there[pathname.Fold(n)] = true
	}
	for _, o := range append([]*moment.Locale{l}, moment.Locales()...) {
		for back := range 10 {
			if there[pathname.Fold(name(o, day.AddDate(0, 0, -back*step)))] {
				return o
			}
		}
	}
	return l
}

// enabled reports whether a plugin is enabled. Without a list of the plugins it is.
func (v App) enabled(plugin string) bool {
	var list []string
	return !v.read("community-plugins.json", &list) || slices.Contains(list, plugin)
}

// noteSettings returns the settings of the notes of a period: those of the plugin Periodic Notes, else those of
// Obsidian for daily and of the plugin Calendar for weekly notes. found is false if there are none.
func (v App) noteSettings(period int) (s noteSettings, found bool) {
	var plugin struct {
		Active string `json:"activeCalendarSet"`
		Sets   []struct {
			ID                              string
			Day, Week, Month, Quarter, Year noteSettings
		} `json:"calendarSets"`
		Daily, Weekly, Monthly, Quarterly, Yearly noteSettings
	}
	if v.enabled("periodic-notes") && v.read("plugins/periodic-notes/data.json", &plugin) {
		s = []noteSettings{plugin.Daily, plugin.Weekly, plugin.Monthly, plugin.Quarterly, plugin.Yearly}[period]
		for i, set := range plugin.Sets {
			if i == 0 || set.ID == plugin.Active {
				s = []noteSettings{set.Day, set.Week, set.Month, set.Quarter, set.Year}[period]
			}
		}
		if s.Enabled != nil && *s.Enabled || s.Enabled == nil && s != (noteSettings{}) {
			return s, true
		}
	}
	var calendar struct {
		Folder   string `json:"weeklyNoteFolder"`
		Format   string `json:"weeklyNoteFormat"`
		Template string `json:"weeklyNoteTemplate"`
	}
	switch s = (noteSettings{}); {
	case period == 0:
		if found = v.read("daily-notes.json", &s); !found {
			s, found = v.journal()
		}
	case period == 1 && v.enabled("calendar") && v.read("plugins/calendar/data.json", &calendar):
		s.Folder, s.Format, s.Template = calendar.Folder, calendar.Format, calendar.Template
		found = s != noteSettings{}
	}
	return s, found
}

// journal returns the settings of the journal of Logseq.
func (v App) journal() (s noteSettings, found bool) {
	settings, _, err := v.of.Own("logseq", "config.edn")
	if err != nil {
		return s, false
	}
	return noteSettings{Folder: moment.LogseqSetting(settings, "journals-directory", "journals"), Format: moment.Logseq(settings, "file-name", "yyyy_MM_dd")}, true
}

// PeriodicNote returns the path of the note of the period, an element of Periods, that contains a day and, if it does
// not exist yet, its initial text. The time of day of day is used for {{time}}.
func (v App) PeriodicNote(ctx context.Context, period string, day time.Time) (PeriodicNote, error) {
	n := max(slices.Index(Periods, period), 0)
	s, found := v.noteSettings(n)
	templates, folder := v.templateSettings(), strings.Trim(s.Folder, "/")
	format := cmp.Or(strings.TrimSpace(s.Format), periodFormats[n])
	name := func(l *moment.Locale, day time.Time) string {
		name := path.Join(folder, l.Format(format, startOf(n, day, l)))
		if !strings.EqualFold(path.Ext(name), ".md") {
			name += ".md"
		}
		return name
	}
	if !templates.chosen {
		templates.locale = v.used(ctx, templates.locale, folder, []int{1, 7, 31, 92, 366}[n], day, name)
	}
	given := name(templates.locale, day)
	day = startOf(n, day, templates.locale)
	clean, err := pathname.Clean(given)
	if err != nil {
		return PeriodicNote{}, vaulterr.New(vaulterr.KindDenied, given, "Obsidian's settings put the %s notes in an invalid place: %s Ask the user to change the folder or the format there.", period, err)
	}
	if v.of.Private(clean) {
		// The name comes from the settings, which tools cannot read.
		return PeriodicNote{}, vaulterr.New(vaulterr.KindDenied, given, "Access denied: the %s notes are private; the user hides them from you. Continue without them.", period)
	}
	there, err := v.of.File(ctx, clean)
	switch {
	case err == nil:
		return PeriodicNote{Path: there, Exists: true, Default: !found}, nil
	case !errors.Is(err, vaulterr.KindNotFound):
		return PeriodicNote{}, err
	}
	d, title := PeriodicNote{Path: clean, Default: !found}, strings.TrimSuffix(path.Base(clean), path.Ext(clean))
	if template := cmp.Or(s.Template, s.TemplatePath); template != "" {
		if n > 0 {
			templates.DateFormat = "[" + title + "]" // what {{date}} stands for
		}
		t, err := v.readTemplate(ctx, templates, v.templateNames(ctx, template), title, day)
		if err != nil {
			d.Note = "The template that Obsidian's settings name for " + period + " notes could not be used, so the note begins without it."
		}
		d.Template, d.Begin = t.Path, t.Text
	}
	return d, nil
}

// startOf returns the first day of a period, at the time of day of day.
func startOf(period int, day time.Time, l *moment.Locale) time.Time {
	switch back := day.Day() - 1; period {
	case 1:
		return day.AddDate(0, 0, -(int(day.Weekday())-l.Dow+7)%7)
	case 2:
		return day.AddDate(0, 0, -back)
	case 3:
		return day.AddDate(0, 0, -back).AddDate(0, -(int(day.Month())-1)%3, 0)
	case 4:
		return day.AddDate(0, 0, 1-day.YearDay())
	}
	return day
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
