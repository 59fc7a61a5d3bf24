package textedit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"chatvault/vault/block"
)

// definition is the definition of a footnote, "[^1]: text", or of a link, "[label]: target".
type definition struct {
	label      string // in lower case; a footnote's begins with "^"
	start, end int    // its lines
	text       string // without the last line end
}

var definitionStart = regexp.MustCompile(`^\[(\^?[^\]\[\n]+)\]:[ \t]*\S`)

// definitionsIn returns the definitions in a view.
func definitionsIn(view string) (all []definition) {
	lines := block.New([]byte(view))
	last := 0 // where the last one ends, with the blank lines after it
	for lines.Scan() {
		line, follows := view[lines.Start:lines.End], len(all) > 0 && last == lines.Start
		switch m := definitionStart.FindStringSubmatch(line); {
		case m != nil && lines.Kind == block.Text && (!lines.Continues || follows):
			all = append(all, definition{label: strings.ToLower(m[1]), start: lines.Start, end: lines.Next})
		case follows && lines.Kind == block.Blank:
		case follows && all[len(all)-1].label[0] == '^' && (lines.Continues || strings.HasPrefix(line, "  ") || line[0] == '\t'):
			all[len(all)-1].end = lines.Next
		default:
			continue
		}
		last = lines.Next
	}
	for i, d := range all {
		all[i].text = strings.TrimRight(view[d.start:d.end], "\n")
	}
	return all
}

// moveDefinitions completes the text that moves from start to end of a view to a note: with the definitions that it
// uses, under labels that are free there, and without those that only the rest uses. splices change the rest alike.
func moveDefinitions(view string, start, end int, to string) (content string, splices []Splice) {
	all, theirs := definitionsIn(view), definitionsIn(to)
	content = view[start:end]
	moving, rest := strings.ToLower(content), strings.ToLower(view[:start]+view[end:])
	own := map[bool]int{true: 1} // a definition has its label too
	var come, stay, taken []string
	for _, d := range slices.Backward(all) {
		inside, use := d.start >= start && d.end <= end, "["+d.label+"]"
		used, kept := strings.Count(moving, use) > own[inside], strings.Count(rest, use) > own[!inside]
		if inside && kept {
			stay = append([]string{d.text}, stay...)
		}
		switch i := slices.IndexFunc(theirs, func(t definition) bool { return t.label == d.label }); {
		case inside && kept && !used:
			content = content[:d.start-start] + content[d.end-start:]
		case !inside && !used:
		case !inside && !kept:
			splices = append([]Splice{{Start: d.start, End: d.end}}, splices...)
			fallthrough
		default:
			if !inside && (i < 0 || theirs[i].text != d.text) {
				come = append([]string{d.text}, come...)
			}
			if i >= 0 && theirs[i].text != d.text {
				taken = append(taken, d.label)
			}
		}
	}
	if content = strings.Trim(content, "\n"); len(come) > 0 {
		content += "\n\n" + strings.Join(come, "\n")
	}
	for _, label := range taken {
		free := freeLabel(label, slices.Concat(all, theirs))
		theirs = append(theirs, definition{label: free})
		content = regexp.MustCompile(`(?i)\[`+regexp.QuoteMeta(label)+`\]`).ReplaceAllLiteralString(content, "["+free+"]")
	}
	if len(stay) > 0 {
		splices = append(splices, Splice{Start: len(view), End: len(view), text: "\n" + strings.Join(stay, "\n") + "\n"})
	}
	return content, splices
}

// freeLabel returns a label like the given one that no definition has.
func freeLabel(label string, taken []definition) string {
	stem := strings.TrimRight(label, "0123456789")
	if stem == label {
		stem += "-"
	}
	for n := 2; ; n++ {
		if free := fmt.Sprint(stem, n); !slices.ContainsFunc(taken, func(d definition) bool { return d.label == free }) {
			return free
		}
	}
}
