package offline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/internal/lazyregexp"
)

// A request that the notes there are show to be more than was understood is not carried out in
// part: a name that would take in half of the sentence is no name.

var (
	exceptRE = lazyregexp.New(`(?i)\b(?:except(?:ing)?|but|apart from|save for|minus|other than|excluding|besides|without|unless|if|until|as soon as|or else|instead of)\b`)
	joinedRE = lazyregexp.New(`(?i)[,;]|\s(?:and|then|&|plus)\s`)
	thenRE   = lazyregexp.New(`(?i)(?:\band|,)\s*then\b|\bthen (?:an?|the|another)\b|\band another\b`)
	swapsRE  = lazyregexp.New(`(?i)(?:,|\band\b)\s.*\s(?:with|by)\s`)
	manyRE   = lazyregexp.New(`(?i)^\S+\s+(?:\S+\s+){0,2}(?:notes|files|pages|folders)\b`)
	// intoRE finds the places in a text that is to be added: "milk to Home and eggs".
	intoRE = lazyregexp.New(`(?i)\s(?:to|into|in|on)\s+`)
	// partOfNote recognises a text that names a part of a note: "the ingredients of Rye bread".
	partOfNote = lazyregexp.New(`(?i)^(?:the|all|my|its|every)\s+(?:\S+\s+){0,3}?\S+\s+(?:of|from|in)\s+(.+)$`)
)

// settle takes the changes out of the commands of a message in which a part is not understood:
// what is asked for may rest on that part.
func (s *script) settle(commands []grammar.Command) []grammar.Command {
	out := slices.Clone(commands)
	unclear := false
	for i, c := range out {
		if c.Kind != grammar.Unclear && s.doubts(c) {
			out[i] = grammar.Command{Kind: grammar.Unclear, Text: c.Text}
		}
		unclear = unclear || out[i].Kind == grammar.Unclear
	}
	if !unclear {
		return commands
	}
	return slices.DeleteFunc(out, grammar.Command.Changes)
}

// doubts says whether a command would do something else than its words ask for, by the names of
// the notes there are.
func (s *script) doubts(c grammar.Command) bool {
	if c.Changes() && thenRE().MatchString(c.Note) && !s.isName(c.Note) && !isQuoted(c.Text, c.Note) {
		return true
	}
	switch c.Kind {
	case grammar.Delete:
		return s.doubtsNote(c)
	case grammar.Move:
		if len(c.Others) > 0 { // "put milk in …", which is settled by its name
			return false
		}
		return s.doubtsNote(c) || s.doubtsTarget(c)
	case grammar.Rename:
		return thenRE().MatchString(c.To) && !isQuoted(c.Text, c.To)
	case grammar.MakeFolder:
		return (strings.ContainsAny(c.Folder, ",;") || thenRE().MatchString(c.Folder)) && !isQuoted(c.Text, c.Folder)
	case grammar.Create:
		return s.doubtsNew(c)
	case grammar.Add:
		return s.doubtsAdded(c)
	case grammar.Replace:
		return swapsRE().MatchString(c.New) && !isQuoted(c.Text, c.New) || swapsRE().MatchString(c.Old) && !isQuoted(c.Text, c.Old)
	}
	return false
}

// doubtsNote says so of the note a command names: an exception is no part of its name.
func (s *script) doubtsNote(c grammar.Command) bool {
	return exceptRE().MatchString(c.Note) && !s.isName(c.Note) && !isQuoted(c.Text, c.Note)
}

// doubtsTarget says so of the folder something is to go to.
func (s *script) doubtsTarget(c grammar.Command) bool {
	if !joinedRE().MatchString(c.To) && !exceptRE().MatchString(c.To) {
		return false
	}
	return s.view.resolveFolder(c.To).score < fitsExactly && !isQuoted(c.Text, c.To)
}

// doubtsAdded says so of a text that is to be added.
func (s *script) doubtsAdded(c grammar.Command) bool {
	if c.Verbatim || strings.Contains(c.Body, "\n") {
		return false
	}
	return s.namesPlace(c.Body) || s.namesPlace(c.Whole) || s.namesPart(c.Body) || c.Form != grammar.Plain && s.namesPart("the items "+c.Body)
}

// doubtsNew says so of a note that is to be made.
func (s *script) doubtsNew(c grammar.Command) bool {
	if c.Folder != "" && joinedRE().MatchString(c.Folder) && s.view.resolveFolder(c.Folder).score < fitsExactly && !isQuoted(c.Text, c.Folder) {
		if c.Sure || c.Whole == "" || c.Body != "" || thenRE().MatchString(c.Folder) {
			return true
		}
	}
	if isQuoted(c.Text, c.Title) {
		return false
	}
	return thenRE().MatchString(c.Title) || joinedRE().MatchString(c.Title) && manyRE().MatchString(c.Text) || !c.Verbatim && s.namesPart(c.Body)
}

// isName says whether a note or folder is called just so.
func (s *script) isName(name string) bool {
	return len(s.exact(name)) > 0 || s.view.resolveFolder(name).score >= fitsExactly
}

// namesPlace says whether text names a note that it is to go to, and goes on with more.
func (s *script) namesPlace(text string) bool {
	for _, at := range intoRE().FindAllStringIndex(clip(text, 400), 8) {
		rest := text[min(at[1], len(text)):]
		for _, end := range joinedRE().FindAllStringIndex(rest, 8) {
			if name := grammar.NoteName(rest[:end[0]]); name != "" && len(s.exact(name)) > 0 {
				return true
			}
		}
	}
	return false
}

// namesPart says whether text names a part of a note, and is not that part.
func (s *script) namesPart(text string) bool {
	m := partOfNote().FindStringSubmatch(clip(strings.TrimSpace(text), 200))
	return m != nil && len(s.exact(grammar.NoteName(m[1]))) > 0
}

// isQuoted says whether a part of a text stands in quotation marks or double brackets there.
func isQuoted(text, part string) bool {
	for from := 0; part != ""; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return false
		}
		r, _ := utf8.DecodeLastRuneInString(text[:from+i])
		if strings.ContainsRune("\"“„«‘`'[", r) {
			return true
		}
		from += i + len(part)
	}
	return false
}
