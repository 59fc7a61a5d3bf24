package offline

import (
	"fmt"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/internal/lazyregexp"
)

// Bounds of an enumeration of names.
const (
	maxEnumerated = 16
	fitsListed    = 0.9 // from which a name in a list is taken without a question before a deletion
)

var enumeration = lazyregexp.New(`(?i)\s*,\s*(?:and\s+|&\s*)?|\s+(?:and|&|as well as|plus)\s+(?:(?:the|my) )?(?:also )?`)

// listedName is a name out of an enumeration with what it means.
type listedName struct {
	name string
	path string // "" where nothing fits
	fit  float64
}

// enumerated reads "A, B and C" as the names of several notes or folders. It is nil where the
// whole is better read as one name: commas and "and" stand in names too, so that pieces that
// together are the name of a note are one.
func (s *script) enumerated(text string) []listedName {
	at := enumeration().FindAllStringIndex(text, maxEnumerated)
	if len(at) == 0 || len(at) == maxEnumerated || s.fit(text).fit >= naming.FitsExactly {
		return nil
	}
	starts, ends := []int{0}, []int{}
	for _, m := range at {
		ends, starts = append(ends, m[0]), append(starts, m[1])
	}
	ends = append(ends, len(text))
	var out []listedName
	found, n := 0, len(starts)
	for from := 0; from < n; {
		to := n - 1
		for to > from && s.fit(text[starts[from]:ends[to]]).fit < naming.FitsExactly {
			to--
		}
		f := s.fit(text[starts[from]:ends[to]])
		if f.fit < fitsListed {
			f.path = ""
		} else {
			found++
		}
		out = append(out, f)
		from = to + 1
	}
	if found == 0 || found == 1 && s.fit(text).fit >= naming.FitsSurely {
		return nil
	}
	return out
}

// fit is the note or folder a name means most likely.
func (s *script) fit(name string) listedName {
	name = grammar.NoteName(name)
	f := listedName{name: name}
	if p := s.daily(name); p != "" && s.view.Has(p) {
		return listedName{name, p, 1}
	}
	if found := s.view.Resolve(name); len(found) > 0 {
		f.path, f.fit = found[0].Path, found[0].Score
	}
	if d := s.view.ResolveFolder(strings.TrimSuffix(name, " folder")); d.Path != "" && d.Score > f.fit {
		f.path, f.fit = d.Path, d.Score
	}
	return f
}

// eachOf is a command on several notes as commands on one each, the names that mean nothing
// left out and said. The command ends where nothing is to be done, which was said.
func (s *script) eachOf(c grammar.Command) []grammar.Command {
	if c.Note == grammar.It || c.Sure && c.Kind == grammar.Delete {
		return []grammar.Command{c}
	}
	names := s.enumerated(c.Note)
	if names == nil {
		return []grammar.Command{c}
	}
	var list []grammar.Command
	var found, missing []string
	for _, f := range names {
		if f.path == "" || f.fit < naming.FitsExactly && c.Changes() {
			missing = append(missing, "“"+f.name+"”")
			continue
		}
		one := c
		one.Note, one.Others, one.Sure = f.path, nil, !naming.IsNote(f.path) && canBeFolder(c)
		list, found = append(list, one), append(found, f.path)
	}
	switch {
	case len(list) == 0, len(missing) > 0 && (c.Kind == grammar.Add || len(c.Others) > 0):
		return []grammar.Command{c} // rather one name, or text
	case len(missing) == 0:
		return list
	case !c.Changes():
		s.failf("There is no note called %s.", strings.Join(missing, " or "))
		return list
	}
	to := "“" + c.To + "”"
	if c.Kind == grammar.Delete {
		to = "the trash"
	}
	s.confirm(fmt.Sprintf("There is no note called %s. Shall I move these to %s?\n\n- %s", strings.Join(missing, " or "), to, strings.Join(found, "\n- ")))
	return list
}
