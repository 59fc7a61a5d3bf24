package smallmodel

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/internal/base/lazyregexp"
	"chatvault/tools"
)

// Offered returns the forms that can serve a request, and all if it is unclear. Forms that look something up are among
// them where no note is named.
func Offered(forms []tools.Form, request Request, choices map[tools.Choice][]string) []tools.Form {
	w, message := request.Wish, request.Text
	named, said := len(choices[tools.OfNotes]) > 0, strings.ToLower(message)
	underHeading := w == tools.WishAdd && len(headingsSaid(choices[tools.OfHeadings], choices[tools.OfNotes], message)) > 0
	inList := w == tools.WishAdd && slices.ContainsFunc(choices[tools.OfLists], func(key string) bool { return names(said, key) })
	noHeading := named && len(choices[tools.OfHeadings]) == 0 && !headingWord().MatchString(said)
	var out []tools.Form
	for _, f := range forms {
		takes := func(c tools.Choice) bool {
			return slices.ContainsFunc(f.Params, func(p tools.Param) bool { return p.Of == c })
		}
		switch {
		case !serves(f, w, named):
		case w == tools.WishSet && (len(choices[tools.OfKeys]) > 0 || propertyWord().MatchString(said)) && !takes(tools.OfKeys):
		case noHeading && takes(tools.OfHeadings):
		case inList && !takes(tools.OfLists), underHeading && !takes(tools.OfHeadings):
		default:
			out = append(out, f)
		}
	}
	if len(out) == 0 && underHeading { // of a note that has the heading
		return Offered(forms, request, map[tools.Choice][]string{tools.OfNotes: choices[tools.OfNotes]})
	}
	if len(out) == 0 {
		return forms
	}
	return out
}

// serves reports whether a form can make the change w, or is a lookup that a request without a note needs.
func serves(f tools.Form, w tools.Wish, named bool) bool {
	if len(f.For) == 0 {
		return !named && w != tools.WishCreate && w != tools.WishDaily
	}
	return w == Unclear || slices.Contains(f.For, w)
}

// Tools returns the part of the system prompt that describes forms, for a model that writes its calls as JSON.
func Tools(forms []tools.Form) string {
	var b strings.Builder
	b.WriteString("To change a note, reply with one JSON object on one line: {\"name\": tool, \"arguments\": {...}}. The tools:\n")
	for _, f := range forms {
		b.WriteString(f.Signature() + ": " + f.About + "\n")
	}
	b.WriteString("Change only what was asked. A content is only the text to write, word by word from the request, each item of a list on a line of its own. Copy texts of a note exactly as they stand there.")
	return b.String()
}

// CallSchema returns the JSON Schema of a call of one of the forms, or, if all may be done, of one named "done".
func CallSchema(forms []tools.Form, choices map[tools.Choice][]string, mayEnd bool) json.RawMessage {
	var calls []*jsonschema.Schema
	for _, f := range forms {
		calls = append(calls, callOf(f.Name, f.Schema(choices)))
	}
	if mayEnd {
		calls = append(calls, callOf("done", tools.Closed(nil, nil)))
	}
	out, err := json.Marshal(&jsonschema.Schema{AnyOf: calls})
	if err != nil {
		panic("smallmodel: " + err.Error()) // of texts alone: cannot fail
	}
	return out
}

// callOf returns the schema of a call: the name first, so that the arguments follow from it.
func callOf(name string, arguments *jsonschema.Schema) *jsonschema.Schema {
	return tools.Closed([]string{"name", "arguments"}, map[string]*jsonschema.Schema{"name": {Enum: []any{name}}, "arguments": arguments})
}

// Narrowed returns choices with only the note that a part of the message names, if it names one, and the content that
// it spells out; listed and created are the notes that the index listed, and that the turn created.
func Narrowed(choices map[tools.Choice][]string, part string, listed, created []string) map[tools.Choice][]string {
	out := maps.Clone(choices)
	if named := NamedIn(part, choices[tools.OfNotes], 1, false); len(named) > 0 {
		out[tools.OfNotes] = named
	}
	if content := spelled(part, listed, created); content != "" {
		out[tools.OfContents] = []string{content}
	}
	return out
}

// maxChoices bounds the values that an argument can be one of.
const maxChoices = 60

// Choices returns what the arguments of a change can be, of the notes that a message names; the others that were found are none.
func Choices(found Found, message string) map[tools.Choice][]string {
	values := choices{message: message, all: map[tools.Choice][]string{}, meant: map[tools.Choice][]string{}}
	var named []string
	for _, p := range found.Passages {
		if p.Full != "" {
			named = append(named, Name(p.Path))
		}
	}
	linked := linkedNote(message, named)
	for _, p := range found.Passages {
		if p.Full != "" && Name(p.Path) != linked {
			values.ofNote(p)
		}
	}
	out := values.all
	for choice, meant := range values.meant { // those that the message says something of, if there are any
		out[choice] = meant
	}
	if named := headingsSaid(out[tools.OfHeadings], out[tools.OfNotes], message); len(named) > 0 {
		out[tools.OfHeadings] = named
	}
	if linked != "" {
		out[tools.OfContents] = []string{"[[" + linked + "]]"}
	}
	ofMessage(out, message, found.Folders)
	return out
}

// choices collects the values that arguments can have.
type choices struct {
	message    string
	all, meant map[tools.Choice][]string // meant are those of which the message says something
}

func (c *choices) add(of tools.Choice, value string, meant bool) {
	if value == "" || len(c.all[of]) >= maxChoices {
		return
	}
	if !slices.Contains(c.all[of], value) {
		c.all[of] = append(c.all[of], value)
	}
	if meant {
		c.meant[of] = append(c.meant[of], value)
	}
}

// ofNote adds the lines, tasks, headings and properties of a note.
func (c *choices) ofNote(p Passage) {
	c.add(tools.OfNotes, Name(p.Path), false)
	shares, front := sharing(Name(p.Path), c.message), FrontMatter(p.Full)
	for line := range strings.Lines(p.Text) {
		line = strings.TrimRight(line, "\r\n")
		key := property().FindStringSubmatch(line)
		unasked := key != nil && strings.Contains(front+"\n", line+"\n") && !names(c.message, key[1])
		if line != "…" && line != "---" && !strings.HasPrefix(line, "#") && !unasked {
			c.add(tools.OfLines, line, false)
		}
	}
	for line := range strings.Lines(p.Full) {
		line = strings.TrimSpace(line)
		if m := taskLine().FindStringSubmatch(line); m != nil {
			box := tools.OfOpen
			if strings.EqualFold(m[1], "x") {
				box = tools.OfDone
			}
			c.add(box, m[2], shares(line))
		} else if strings.HasPrefix(line, "#") {
			c.add(tools.OfHeadings, strings.TrimSpace(strings.TrimLeft(line, "#")), false)
		}
	}
	for _, m := range listProperty().FindAllStringSubmatch(front, -1) {
		c.add(tools.OfLists, m[1], names(c.message, m[1]))
	}
	for _, m := range property().FindAllStringSubmatch(front, -1) {
		if names(c.message, m[1]) {
			c.add(tools.OfKeys, m[1], false)
		}
	}
}

// ofMessage adds new names, titles and folders that the message contains.
func ofMessage(out map[tools.Choice][]string, message string, folders []string) {
	runs := said(message, out[tools.OfNotes]...)
	after := said(afterName(message, out[tools.OfNotes])) // the new name may hold the old
	if len(after) == 0 {
		after = runs
	}
	out[tools.OfNewNames] = after
	out[tools.OfSaid], out[tools.OfTitles], out[tools.OfFolders] = runs, titles(message, folders), slices.Clone(folders)
	if words := strings.Fields(message); len(beforeFolder(words, folders)) == len(words) { // it may be in none
		out[tools.OfFolders] = append([]string{""}, folders...)
	}
	if folderWord().MatchString(message) {
		out[tools.OfFolders] = append(out[tools.OfFolders], runs...)
	}
	out[tools.OfPlaces] = slices.Concat(folders, slices.DeleteFunc(slices.Clone(after), func(s string) bool {
		return noPlace().MatchString(s) || slices.ContainsFunc(folders, func(f string) bool { return strings.EqualFold(f, s) || strings.EqualFold(Name(f), s) })
	}))
}

// names reports whether a message names a property.
func names(message, key string) bool {
	return standsIn(strings.ToLower(key), strings.ToLower(message))
}

var (
	folderWord   = lazyregexp.New(`(?i)\b(?:folder|directory|ordner|verzeichnis|dossier|carpeta|cartella|pasta|map)\b|フォルダ|文件夹|目录`)
	noPlace      = lazyregexp.New(`(?i)^(?:an?|the|called|named|new|einen?|den|une?|le|la)\b|\b(?:folder|directory|ordner|verzeichnis|dossier|carpeta|cartella|pasta|called|named|namens)\b`)
	taskLine     = lazyregexp.New(`^(?:> ?)*(?:[-*+]|\d+[.)]) \[([^-\]])\] (.+)$`)
	property     = lazyregexp.New(`(?m)^(\w[\w -]*):`)
	listProperty = lazyregexp.New(`(?m)^(\w[\w -]*):[ \t]*(?:\[.*|\n[ \t]*- .*|$)`)
)

// FrontMatter returns the lines of a note's front matter, "" if it has none.
func FrontMatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return ""
	}
	front, _, _ := strings.Cut(rest, "\n---")
	return front
}

// Fit returns the content that a model wants to add, as the request means it: a task has an open box.
func Fit(content, request string) string {
	line := strings.TrimSpace(content)
	switch {
	case strings.HasPrefix(line, "- [x] ") && !strings.Contains(request, "[x]"):
		return "- [ ] " + line[len("- [x] "):]
	case !taskWord().MatchString(strings.ToLower(quoted().ReplaceAllString(request, " "))) || line == "":
		return content
	}
	lines := strings.Split(line, "\n")
	for i, l := range lines {
		if bullet().MatchString(l) || strings.TrimSpace(l) == "" {
			return content
		}
		lines[i] = "- [ ] " + l
	}
	return strings.Join(lines, "\n")
}

var bullet = lazyregexp.New(`^(?:[-*+#>]|\d+[.)]) `)
