package offline

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/placement"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// create makes a new note. A note of that name that is there already is never overwritten:
// the user is asked.
func (s *script) create(c grammar.Command) {
	title, folder := c.Title, ""
	switch {
	case grammar.IsPronoun(c.Folder):
		folder = s.lastFolder()
	case c.Folder != "":
		f := s.view.ResolveFolder(c.Folder)
		switch {
		case f.Path != "":
			folder = f.Path
		case !c.Sure && c.Whole != "" && (c.Body == "" || strings.HasSuffix(c.Whole, " to "+c.Folder)):
			title = c.Whole // "a note called Trip to Lisbon": no folder Lisbon, so a title
		default:
			folder = strings.Trim(path.Clean(c.Folder), "/")
		}
	case c.Tag != "":
		folder = s.folderFor(c.Tag)
	}
	if c.Folder == "" && strings.Contains(title, "/") && !strings.Contains(title, " / ") {
		folder, title = path.Dir(path.Clean(title)), path.Base(title)
	}
	if naming.IsNote(title) {
		title = retrieval.Name(title)
	}
	title = cmp.Or(title, titleFrom(c.Body, s.now))
	file := naming.Portable(title)
	if file == "" {
		s.failf("“%s” cannot be the name of a note. Please name it with letters or digits.", title)
		return
	}
	p := path.Join(folder, file+".md")
	if s.alreadyDone(p) {
		s.sayf("%s was already created in the earlier attempt; I leave it as it is.", cite(p, 0))
		return
	}
	if s.view.Has(p) {
		options := []string{"Leave it as it is", "Create another note with a number"}
		if strings.TrimSpace(c.Body) != "" {
			options = append(options, "Add the text to it")
		}
		switch s.chooseOne(fmt.Sprintf("There is already a note %s. What shall I do?", cite(p, 0)), options) {
		case 0:
			s.sayf("%s stays as it is.", cite(p, 0))
			return
		case 2:
			c.Note = p
			s.addTo(p, c)
			return
		}
		base := strings.TrimSuffix(p, ".md")
		for n := 2; s.view.Has(p); n++ {
			p = fmt.Sprintf("%s %d.md", base, n)
		}
		title = retrieval.Name(p)
	}
	r := s.orLeave("I could not create “"+title+"”", s.change("write_file", args{"path": p, "content": noteText(title, c)}, creating(p, c)))
	text := fmt.Sprintf("Created %s.", cite(r.place(), 0))
	if strings.TrimSpace(c.Body) == "" {
		text = fmt.Sprintf("Created %s, with only its title in it. Say *add … to it* to continue.", cite(r.place(), 0))
	}
	s.didf("%s", text)
}

// creating is the making of a note as a step of a plan.
func creating(p string, c grammar.Command) string {
	if body := oneLine(c.Body); body != "" {
		return fmt.Sprintf("Create %s with “%s”", cite(p, 0), clip(body, 80))
	}
	return "Create " + cite(p, 0)
}

// folderFor is the folder where notes of a kind live: "recipe" is Recipes.
func (s *script) folderFor(kind string) string {
	words := strings.Fields(kind)
	if len(words) == 0 {
		return ""
	}
	stem := retrieval.Stem(words[len(words)-1])
	best := ""
	for d := range s.view.Folders {
		if retrieval.Stem(strings.ToLower(path.Base(d))) == stem && (best == "" || len(d) < len(best) || len(d) == len(best) && d < best) {
			best = d
		}
	}
	return best
}

// titleFrom makes a title of a text without one.
func titleFrom(body string, now time.Time) string {
	words := strings.Fields(retrieval.PlainText(text.FirstLine(body)))
	if len(words) == 0 {
		return "Note " + now.Format("2006-01-02 1504")
	}
	return upper(strings.Trim(strings.Join(words[:min(len(words), 7)], " "), ".,;:!?"))
}

// noteText is the text of a new note.
func noteText(title string, c grammar.Command) string {
	body := strings.TrimRight(placement.Formatted(c), "\n")
	if strings.HasPrefix(body, "# ") || strings.HasPrefix(body, "---\n") {
		return body + "\n"
	}
	if body == "" {
		return "# " + title + "\n"
	}
	return "# " + title + "\n\n" + body + "\n"
}

// add adds text to a note.
func (s *script) add(c grammar.Command) {
	for _, reading := range append([]grammar.Command{c}, c.Others...) {
		if reading.Kind == grammar.Add && (reading.Note == grammar.It || len(s.exact(reading.Note)) > 0 || s.daily(reading.Note) != "") {
			c = reading
			break
		}
	}
	c = s.partOf(c)
	if guess := s.daily(c.Note); guess != "" && len(s.exact(c.Note)) == 0 {
		s.unsure = s.unsure || !c.Verbatim && !dailyWordRE().MatchString(c.Note+" "+c.Text) // the diary may be a book
		if at := s.locateDaily(guess, "add it to"); at.exists {
			s.addTo(at.path, c)
		} else {
			s.addToNewDaily(at, c)
		}
		return
	}
	var p string
	switch err := stopped(func() { p = s.target(c, "add it to") }); {
	case err == nil:
		s.addTo(p, c)
	case errors.Is(err, errNotNamed) && mayBeMade(c):
		s.addToMissing(c)
	default:
		panic(stop{err})
	}
}

// partOf reads "the ingredients of the rye bread" as a heading of a note, where no note is
// called all of that.
func (s *script) partOf(c grammar.Command) grammar.Command {
	m := partOfRE().FindStringSubmatch(c.Note)
	if m == nil || c.Heading != "" || len(s.exact(c.Note)) > 0 {
		return c
	}
	note := grammar.NoteName(m[2])
	if found := s.view.Resolve(note); len(found) > 0 && found[0].Score >= naming.FitsExactly {
		c.Heading, c.Note = upper(m[1]), note
	}
	return c
}

var partOfRE = lazyregexp.New(`(?i)^([\p{L}-]+(?: [\p{L}-]+)?) of (.+)$`)

// dailyWordRE is what daily notes are called that nothing else is.
var dailyWordRE = lazyregexp.New(`(?i)\b(?:daily|(?:today|yesterday|tomorrow)(?:['’]?s)?)\b|\b(?:journal|diary) (?:note|page|entry)\b|\d{4}-\d{2}-\d{2}`)

// addToMissing offers to create the note that text is for.
func (s *script) addToMissing(c grammar.Command) {
	near := s.view.Resolve(c.Note)
	options := pathsOf(near[:min(len(near), 3)])
	if naming.IsNote(c.Note) && !strings.Contains(c.Note, "/") {
		c.Note = retrieval.Name(c.Note)
	}
	options = append(options, fmt.Sprintf("Create a new note “%s”", c.Note))
	if picked := s.chooseOne(fmt.Sprintf("There is no note called “%s”. Where should it go?", c.Note), options); picked < len(options)-1 {
		s.addTo(options[picked], c)
		return
	}
	s.create(grammar.Command{Kind: grammar.Create, Title: c.Note, Body: c.Body, Verbatim: c.Verbatim, Form: c.Form, Text: c.Text})
}

func oneLine(s string) string { return text.OneLine(s) }

// addTo reads a note and inserts the text where it belongs.
func (s *script) addTo(p string, c grammar.Command) {
	if s.alreadyDone(p) {
		s.sayf("%s was already changed in the earlier attempt; I will not add the text twice. Ask again if it is missing.", cite(p, 0))
		return
	}
	r := s.readNote(p)
	lines, _, _ := toolresult.FileLines(r.result)
	c = s.settleHeading(p, lines, c)
	r = s.orLeave("I could not read "+cite(p, 0), s.reread(r))
	var at placement.Spot
	var e call
	where := ""
	for again := false; ; again = true {
		lines, total, rest := toolresult.FileLines(r.result)
		at = placement.At(lines, total, rest, c)
		switch {
		case at.NewHeading:
			where = fmt.Sprintf(", under a new heading “%s”", c.Heading)
		case at.Heading != "":
			where = fmt.Sprintf(", under “%s”", at.Heading)
		case c.Top:
			where = ", at the top"
		}
		e = s.change("edit_file", args{"path": p, "insert_after_line": at.Line, "content": at.Text}, fmt.Sprintf("Add “%s” to %s%s", clip(oneLine(c.Body), 80), cite(p, 0), where))
		if again || !e.failed || !changedMeanwhileRE().MatchString(e.result) {
			break
		}
		r = s.call(readFile, args{"path": p}) // once more, from what is there now
	}
	s.orLeave("I could not add it to "+cite(p, 0), e)
	s.didf("Added to %s%s:\n\n%s", cite(p, at.Line+1+len(at.Text)-len(strings.TrimLeft(at.Text, "\n"))), where, quote(clip(strings.TrimSpace(at.Text), 300)))
}

// changedMeanwhileRE recognises the refusal of an edit whose note is not what was read.
var changedMeanwhileRE = lazyregexp.New(`changed on disk|changed while the user was asked`)

// maxHeadings bounds the headings a question offers.
const maxHeadings = 4

// settleHeading asks where text goes whose heading a note does not have.
func (s *script) settleHeading(p string, lines []toolresult.Numbered, c grammar.Command) grammar.Command {
	if c.Heading == "" || c.Fresh {
		return c
	}
	kinds := retrieval.Lines([]byte(toolresult.JoinLines(lines)))
	if _, ok := placement.FindHeading(kinds, c.Heading); ok {
		return c
	}
	if c.Loose && c.Whole != "" {
		c.Heading, c.Body = "", c.Whole
		return c
	}
	options := []string{fmt.Sprintf("Create the heading “%s” at the end of the note", c.Heading)}
	var there []string
	for _, l := range kinds {
		if l.Kind == retrieval.LineHeading && l.Level > 1 && len(there) < maxHeadings {
			there = append(there, retrieval.PlainText(string(l.Text)))
			options = append(options, fmt.Sprintf("Put it under “%s”", there[len(there)-1]))
		}
	}
	options = append(options, "Put it at the end, without a heading")
	if c.Whole != "" {
		options = append(options, fmt.Sprintf("Add the words “%s” at the end", clip(oneLine(c.Whole), 80)))
	}
	switch picked := s.chooseOne(fmt.Sprintf("%s has no heading “%s”. Where should “%s” go?", cite(p, 0), c.Heading, clip(oneLine(c.Body), 80)), options); {
	case picked == 0:
		c.Fresh = true
	case picked <= len(there):
		c.Heading = there[picked-1]
	case picked == len(there)+1:
		c.Heading = ""
	default:
		c.Heading, c.Body = "", c.Whole
	}
	return c
}

// alreadyDone says whether an earlier attempt of this request had changed a path.
func (s *script) alreadyDone(p string) bool {
	return s.task.done != "" && strings.Contains(s.task.done, p)
}
