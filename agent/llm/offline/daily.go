package offline

import (
	"cmp"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/placement"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// dailyPlace is where the daily note of a day is.
type dailyPlace struct {
	date   string // "2026-11-21"
	path   string
	exists bool
	asSet  bool // Obsidian's settings put it there, and it is made by the tool for it
}

// dailyPathRE is what daily_note says of where a note is.
var dailyPathRE = lazyregexp.New(`^Daily note for [^\n:]+: ([^\n]+) \((already exists|does not exist yet)[^\n]*\)(\n|$)`)

// locateDaily finds the daily note that guess is the path of by its date. Where it is not there,
// Obsidian's settings say where it is; without settings, or the tool that knows them, it is guess,
// beside the other notes with dates for names. purpose is what is to be done with it.
func (s *script) locateDaily(guess, purpose string) dailyPlace {
	at := dailyPlace{date: retrieval.Name(guess), path: guess, exists: s.view.Has(guess)}
	ask := args{"action": "path", "date": at.date}
	_, said := s.repeated(planned{dailyNote, ask})
	if at.exists || !said && !s.again(dailyNote) && (s.nextCall() || !s.tools[dailyNote]) {
		return at
	}
	c := s.call(dailyNote, ask)
	if c.failed && !strings.Contains(c.result, "is not known here") {
		s.orLeave("I could not "+purpose+" the daily note", c)
	}
	return at.told(c, s.view)
}

// told is the place with what the tool said of it.
func (at dailyPlace) told(c call, view *naming.Names) dailyPlace {
	m := dailyPathRE().FindStringSubmatch(c.result)
	if m == nil {
		return at
	}
	bare := strings.Contains(c.result, "no settings for daily notes")
	switch {
	case m[2] == "already exists", view.Has(m[1]):
		at.path, at.exists, at.asSet = m[1], true, !bare
	case !bare:
		at.path, at.asSet = m[1], true
	}
	return at
}

// dailyAt is what the task was told last of the daily note of a date.
func (s *script) dailyAt(date string) dailyPlace {
	at := dailyPlace{date: date, path: date + ".md"}
	for i := len(s.made) - 1; i >= 0; i-- {
		if c := s.made[i]; c.name == dailyNote && c.arg("action") == "path" && c.arg("date") == date {
			return at.told(c, s.view)
		}
	}
	return at
}

// addToNewDaily makes the daily note of a day, with text: as Obsidian would where it has settings
// for them, else with its date for a title.
func (s *script) addToNewDaily(at dailyPlace, c grammar.Command) {
	tool, a := "write_file", args{"path": at.path, "content": noteText(retrieval.Name(at.path), c)}
	if at.asSet {
		tool, a = dailyNote, args{"action": "append", "date": at.date, "content": strings.TrimRight(placement.Formatted(c), "\n")}
		if c.Heading != "" {
			a["heading"] = c.Heading
		}
	}
	r := s.orLeave("I could not create the daily note", s.change(tool, a, creating(at.path, c)))
	s.didf("Created %s with “%s”.", cite(cmp.Or(r.place(), at.path), 0), clip(oneLine(c.Body), 80))
}

// dailyNamed is the daily note that a name means, whose path may be guess. The command ends where
// there is none, which is said.
func (s *script) dailyNamed(name, guess, purpose string) string {
	at := s.locateDaily(guess, purpose)
	if !at.exists {
		panic(s.unable("There is no daily note `%s`. Say *add “…” to %s's note* to begin it.", at.path, strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")))
	}
	return at.path
}

// daily is the path of the daily note a name means ("today's note"), whether it exists or
// not; empty where the name means none.
func (s *script) daily(name string) string { return s.view.Daily(name, s.now) }
