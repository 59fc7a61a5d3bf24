package vault

import (
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"chatvault/vault/obsidian"
	"chatvault/vault/vaulterr"
)

// day is a Saturday.
var day = time.Date(2026, 11, 21, 14, 5, 9, 0, time.UTC)

func TestDailyNote(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	tests := []struct {
		name     string
		settings string // daily-notes.json
		files    map[string]string
		want     obsidian.PeriodicNote
	}{
		{"no settings", "", nil, obsidian.PeriodicNote{Path: "2026-11-21.md", Default: true}},
		{"broken settings", "{", nil, obsidian.PeriodicNote{Path: "2026-11-21.md", Default: true}},
		{"of another shape", `{"folder": 4, "format": "YYYY"}`, nil, obsidian.PeriodicNote{Path: "2026.md"}},
		{"folder", `{"folder": "/Daily/", "format": ""}`, nil, obsidian.PeriodicNote{Path: "Daily/2026-11-21.md"}},
		{"folders of the format", `{"folder": "Log", "format": "YYYY/MM-MMMM/gggg-[W]ww ddd Do"}`, nil, obsidian.PeriodicNote{Path: "Log/2026/11-November/2026-W47 Sat 21st.md"}},
		{"extension in the format", `{"format": "YYYY-MM-DD[.md]"}`, nil, obsidian.PeriodicNote{Path: "2026-11-21.md"}},
		{"there", `{"folder": "Daily"}`, map[string]string{"daily/2026-11-21.MD": "x"}, obsidian.PeriodicNote{Path: "daily/2026-11-21.MD", Exists: true}},
		{
			"exists in the other normal form", `{"folder": "Tägliches"}`,
			map[string]string{norm.NFD.String("Tägliches/2026-11-21.md"): "x"},
			obsidian.PeriodicNote{Path: norm.NFD.String("Tägliches/2026-11-21.md"), Exists: true},
		},
		{
			"template", `{"folder": "Daily", "template": "Templates/Daily note"}`,
			map[string]string{"Templates/Daily note.md": "# {{title}}\r\n{{ date }} {{TIME}} {{date:dddd}} {{time:h:mm a}} {{date: [on] Do }}\r\n{{title:x}} {{other}} {{date:}}\n"},
			obsidian.PeriodicNote{Path: "Daily/2026-11-21.md", Template: "Templates/Daily note.md", Begin: "# 2026-11-21\r\n2026-11-21 14:05 Saturday 2:05 pm on 21st\r\n{{title:x}} {{other}} 2026-11-21\n"},
		},
		{
			"template by its name", `{"template": "daily NOTE"}`,
			map[string]string{"a/b/Daily note.md": "{{title}}", "a/b/c/Daily note.md": "deeper"},
			obsidian.PeriodicNote{Path: "2026-11-21.md", Template: "a/b/Daily note.md", Begin: "2026-11-21"},
		},
		{
			"template with its extension", `{"template": "T/Day.md"}`,
			map[string]string{"T/Day.md": "x"},
			obsidian.PeriodicNote{Path: "2026-11-21.md", Template: "T/Day.md", Begin: "x"},
		},
		{
			"missing template", `{"template": "Gone"}`, nil,
			obsidian.PeriodicNote{Path: "2026-11-21.md", Note: "The template that Obsidian's settings name for daily notes could not be used, so the note begins without it."},
		},
		{
			"protected template", `{"template": ".obsidian/app"}`,
			map[string]string{".obsidian/app.md": "secret"},
			obsidian.PeriodicNote{Path: "2026-11-21.md", Note: "The template that Obsidian's settings name for daily notes could not be used, so the note begins without it."},
		},
		{
			"private template", `{"template": "Hidden/Day"}`,
			map[string]string{"Hidden/Day.md": "secret"},
			obsidian.PeriodicNote{Path: "2026-11-21.md", Note: "The template that Obsidian's settings name for daily notes could not be used, so the note begins without it."},
		},
		{
			"binary template", `{"template": "Day"}`,
			map[string]string{"Day.md": "\x00\x01"},
			obsidian.PeriodicNote{Path: "2026-11-21.md", Note: "The template that Obsidian's settings name for daily notes could not be used, so the note begins without it."},
		},
	}
	for _, tt := range tests {
		files := map[string]string{}
		for name, text := range tt.files {
			files[name] = text
		}
		if tt.settings != "" {
			files[".obsidian/daily-notes.json"] = tt.settings
		}
		v := newTest(t, files)
		mustTest(t, v.SetPrivate([]string{"Hidden/"}))
		got, err := v.Obsidian.PeriodicNote(t.Context(), "daily", day)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v\nwant %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestDailyNoteFormats(t *testing.T) {
	v := newTest(t, map[string]string{
		".obsidian/templates.json":   `{"folder": "Elsewhere", "dateFormat": "DD.MM.YYYY", "timeFormat": "HH[h]mm"}`,
		".obsidian/daily-notes.json": `{"template": "T"}`,
		"T.md":                       "{{date}} {{time}}",
	})
	if got, err := v.Obsidian.PeriodicNote(t.Context(), "daily", day); err != nil || got.Begin != "21.11.2026 14h05" || got.Path != "2026-11-21.md" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTemplate(t *testing.T) {
	files := map[string]string{
		".obsidian/templates.json":  `{"folder": "Templates", "dateFormat": "DD.MM.YYYY", "timeFormat": "HH[h]mm"}`,
		"Templates/Meeting.md":      "# {{title}}\n{{date}} {{time}} {{date:YYYY}}\n",
		"Templates/Work/Weekly.md":  "<% tp.file.title %>",
		"Templates/Hidden/Pay.md":   "secret",
		"Templates/Broken.md":       "\x00",
		"Other/Meeting.md":          "other",
		"Letter.md":                 "Dear",
		".obsidian/plugins/x/Me.md": "protected",
	}
	for name, want := range map[string]struct {
		Path, Text string
		templater  bool
		err        string
	}{
		"Meeting":                  {Path: "Templates/Meeting.md", Text: "# Plan\n21.11.2026 14h05 2026\n"},
		"meeting.md":               {Path: "Templates/Meeting.md", Text: "# Plan\n21.11.2026 14h05 2026\n"},
		"Templates/Meeting":        {Path: "Templates/Meeting.md", Text: "# Plan\n21.11.2026 14h05 2026\n"},
		"Other/Meeting":            {Path: "Other/Meeting.md", Text: "other"},
		"weekly":                   {Path: "Templates/Work/Weekly.md", Text: "<% tp.file.title %>", templater: true},
		"Letter.md":                {Path: "Letter.md", Text: "Dear"},
		"Pay":                      {err: `No template is called "Pay". Available: "Broken", "Meeting", "Work/Weekly".`},
		"Templates/Hidden/Pay.md":  {err: `No template is called "Templates/Hidden/Pay.md".`},
		"Broken":                   {err: "it is binary"},
		"../out":                   {err: "No template is called"},
		".obsidian/plugins/x/Me":   {err: "No template is called"},
		"Templates":                {err: "No template is called"},
		"":                         {err: "No template is called"},
		strings.Repeat("long", 99): {err: "No template is called"},
	} {
		v := newTest(t, files)
		mustTest(t, v.SetPrivate([]string{"Hidden/"}))
		got, err := v.Obsidian.Template(t.Context(), name, "Plan", day)
		if want.err != "" {
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		} else if err != nil || got != (obsidian.Template{Path: want.Path, Text: want.Text, Templater: want.templater}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for settings, want := range map[string]string{
		"":                        "name no template folder",
		`{"folder": "../out"}`:    "name no template folder",
		`{"folder": "Hidden"}`:    "name no template folder",
		`{"folder": ".obsidian"}`: "name no template folder",
		`{"folder": "Empty"}`:     `The template folder "Empty/" is empty`,
	} {
		v := newTest(t, map[string]string{".obsidian/templates.json": settings})
		mustTest(t, v.SetPrivate([]string{"Hidden/"}))
		if _, err := v.Obsidian.Template(t.Context(), "Meeting", "Plan", day); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

func TestDailyNoteDenied(t *testing.T) {
	for settings, want := range map[string]string{
		`{"folder": "../out"}`:                    "Obsidian's settings put the daily notes in an invalid place: Access denied",
		`{"folder": ".obsidian/plugins"}`:         "protected",
		`{"format": "[.]YYYY"}`:                   "protected",
		`{"folder": "Secret Diary"}`:              "the daily notes are private",
		`{"folder": "secret diary"}`:              "the daily notes are private",
		`{"folder": "folder", "format": "[sub]"}`: "is a folder",
	} {
		v := newTest(t, map[string]string{".obsidian/daily-notes.json": settings, "folder/sub.md/x.md": ""})
		mustTest(t, v.SetPrivate([]string{"Secret Diary/"}))
		_, err := v.Obsidian.PeriodicNote(t.Context(), "daily", day)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", settings, err, want)
		}
		if strings.Contains(want, "private") && strings.Contains(strings.ToLower(err.Error()), "diary") {
			t.Errorf("the error names a private file: %v", err)
		}
		if !errors.Is(err, vaulterr.KindDenied) && !errors.Is(err, vaulterr.KindIsFolder) {
			t.Errorf("%s: kind of %v", settings, err)
		}
	}
}

func TestNewNotePath(t *testing.T) {
	for _, tt := range []struct{ settings, given, want string }{
		{``, "a.md", "a.md"},
		{`{"newFileLocation": "root"}`, "a.md", "a.md"},
		{`{"newFileLocation": "current", "newFileFolderPath": "Inbox"}`, "a.md", "a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}`, "a.md", "Inbox/a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "/In/box/"}`, "a.MD\n", "In/box/a.MD\n"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}`, "./a.md", "./a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}`, "x/a.md", "x/a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}`, "a.csv", "a.csv"},
		{`{"newFileLocation": "folder", "newFileFolderPath": ""}`, "a.md", "a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "/"}`, "a.md", "a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "../x"}`, "a.md", "a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": ".obsidian"}`, "a.md", "a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "Hidden/x"}`, "a.md", "a.md"},
		{`{"newFileLocation": "folder", "newFileFolderPath": "a\u001bb"}`, "a.md", "a.md"},
	} {
		v := newTest(t, map[string]string{".obsidian/app.json": tt.settings})
		mustTest(t, v.SetPrivate([]string{"Hidden/"}))
		if got := v.Obsidian.NewNotePath(tt.given); got != tt.want {
			t.Errorf("%s %s: %q", tt.settings, tt.given, got)
		}
		if folder := v.Obsidian.NewNoteFolder(); path.Join(folder, "a") != path.Join(path.Dir(v.Obsidian.NewNotePath("b.md")), "a") {
			t.Errorf("%s: folder %q", tt.settings, folder)
		}
	}
}

// TestPeriodicNote checks the settings of Periodic Notes, Calendar and the language.
func TestPeriodicNote(t *testing.T) {
	const beta = `{"activeCalendarSet": "Work", "calendarSets": [{"id": "Home", "week": {"enabled": true, "folder": "no"}},
		{"id": "Work", "day": {"enabled": true, "folder": "/log/", "format": "[Day] Do MMM YYYY"}, "week": {"enabled": true, "folder": "W", "format": "", "templatePath": "T/Week.md"}, "month": {"enabled": false, "folder": "M"}}]}`
	const stable = `{"daily": {"folder": "J", "format": "YYYY/MM/YYYY-MM-DD", "template": "", "enabled": true}, "weekly": {"folder": "J/W", "format": "gggg-[KW]ww", "template": "Week", "enabled": true},
		"monthly": {"folder": "J", "format": "YYYY-MM MMMM", "enabled": true}, "quarterly": {"folder": "Q", "format": "YYYY-[Q]Q"}, "yearly": {"folder": "Y", "enabled": false}}`
	const plugin, calendar = ".obsidian/plugins/periodic-notes/data.json", ".obsidian/plugins/calendar/data.json"
	for _, tt := range []struct {
		period, day string
		files       map[string]string
		want        obsidian.PeriodicNote
	}{
		{"weekly", "2026-11-29", nil, obsidian.PeriodicNote{Path: "2026-W49.md", Default: true}}, // the English week begins on Sunday
		{"monthly", "2026-11-29", nil, obsidian.PeriodicNote{Path: "2026-11.md", Default: true}},
		{"quarterly", "2026-11-29", nil, obsidian.PeriodicNote{Path: "2026-Q4.md", Default: true}},
		{"yearly", "2026-11-29", nil, obsidian.PeriodicNote{Path: "2026.md", Default: true}},
		{"daily", "2026-11-29", map[string]string{plugin: stable, ".obsidian/daily-notes.json": `{"folder": "other"}`}, obsidian.PeriodicNote{Path: "J/2026/11/2026-11-29.md"}},
		{"daily", "2026-11-29", map[string]string{plugin: stable, ".obsidian/daily-notes.json": `{"folder": "other"}`, ".obsidian/community-plugins.json": `["calendar"]`}, obsidian.PeriodicNote{Path: "other/2026-11-29.md"}},
		{"daily", "2026-11-29", map[string]string{plugin: beta}, obsidian.PeriodicNote{Path: "log/Day 29th Nov 2026.md"}},
		{
			"weekly", "2026-11-26",
			map[string]string{plugin: stable, "T/Week.md": "# {{title}} {{date}}\n{{sunday:YYYY-MM-DD}} {{Saturday:ddd D}} {{date+1w:gggg-[W]ww}} {{ date -1d : D }} {{tomorrow:D}} {{title:x}}\n"},
			obsidian.PeriodicNote{Path: "J/W/2026-KW48.md", Template: "T/Week.md", Begin: "# 2026-KW48 2026-KW48\n2026-11-22 Sat 28 2026-W49 21 23 {{title:x}}\n"},
		},
		{"weekly", "2026-11-29", map[string]string{plugin: beta, "W/2026-W49.md": "x"}, obsidian.PeriodicNote{Path: "W/2026-W49.md", Exists: true}},
		{"weekly", "2026-11-26", map[string]string{plugin: beta, "T/Week.md": "x"}, obsidian.PeriodicNote{Path: "W/2026-W48.md", Template: "T/Week.md", Begin: "x"}},
		{"monthly", "2026-11-29", map[string]string{plugin: beta}, obsidian.PeriodicNote{Path: "2026-11.md", Default: true}},
		{"monthly", "2026-11-29", map[string]string{plugin: stable, calendar: `{"localeOverride": "pt-br"}`}, obsidian.PeriodicNote{Path: "J/2026-11 novembro.md"}},
		{"monthly", "2026-11-29", map[string]string{plugin: stable, ".obsidian/app.json": `{"localeOverride": "de"}`}, obsidian.PeriodicNote{Path: "J/2026-11 November.md"}},
		{"monthly", "2026-11-29", map[string]string{plugin: stable, "J/2026-06 juin.md": ""}, obsidian.PeriodicNote{Path: "J/2026-11 novembre.md"}},
		{"quarterly", "2026-05-31", map[string]string{plugin: stable}, obsidian.PeriodicNote{Path: "Q/2026-Q2.md"}},
		{"yearly", "2026-05-31", map[string]string{plugin: stable}, obsidian.PeriodicNote{Path: "2026.md", Default: true}},
		{"weekly", "2026-11-29", map[string]string{calendar: `{"weeklyNoteFormat": "", "weeklyNoteFolder": "Weeks", "weekStart": "locale", "localeOverride": "de"}`}, obsidian.PeriodicNote{Path: "Weeks/2026-W48.md"}},
		{"weekly", "2026-11-29", map[string]string{calendar: `{"weeklyNoteFormat": "YYYY-MM-DD", "weekStart": "monday", "localeOverride": "system-default"}`}, obsidian.PeriodicNote{Path: "2026-11-23.md"}},
		{"daily", "2026-11-29", map[string]string{".obsidian/daily-notes.json": `{"folder": "D", "format": "dddd, D. MMMM YYYY"}`, "D/Freitag, 27. November 2026.md": ""}, obsidian.PeriodicNote{Path: "D/Sonntag, 29. November 2026.md"}},
		{"daily", "2026-11-29", map[string]string{plugin: `{"daily": 4, "weekly"`, ".obsidian/daily-notes.json": `{"folder": "D"}`}, obsidian.PeriodicNote{Path: "D/2026-11-29.md"}},
	} {
		t.Setenv("LC_ALL", "C")
		v := newTest(t, tt.files)
		when, err := time.Parse(time.DateOnly, tt.day)
		mustTest(t, err)
		if got, err := v.Obsidian.PeriodicNote(t.Context(), tt.period, when); err != nil || got != tt.want {
			t.Errorf("%s %s: %+v, %v\nwant %+v", tt.period, tt.day, got, err, tt.want)
		}
	}
	t.Setenv("LC_ALL", "")
	t.Setenv("LANG", "de_DE.UTF-8")
	v := newTest(t, map[string]string{plugin: stable})
	if got, err := v.Obsidian.PeriodicNote(t.Context(), "weekly", time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)); err != nil || got.Path != "J/W/2026-KW48.md" {
		t.Errorf("%+v, %v", got, err)
	}
}
