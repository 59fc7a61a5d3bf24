// Package toolresult reads the results of tools, as a model reads them, back into what they tell.
package toolresult

import (
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// Numbered is a line of a file with its number.
type Numbered struct {
	N    int
	Text string
}

// FileLines reads the result of read_file. total is the number of lines in the file; rest says
// that the file goes on after the last line.
func FileLines(result string) (lines []Numbered, total int, rest bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		head, text, ok := strings.Cut(raw, ": ")
		if !ok {
			head, ok = strings.CutSuffix(raw, ":")
			text = ""
		}
		if n, err := strconv.Atoi(head); ok && err == nil && n > 0 && (len(lines) == 0 || n == lines[len(lines)-1].N+1) {
			lines = append(lines, Numbered{n, text})
			continue
		}
		if m := truncatedRE().FindStringSubmatch(raw); m != nil {
			total, _ = strconv.Atoi(m[2])
			last, _ := strconv.Atoi(m[1])
			rest = last < total
		}
	}
	if total == 0 && len(lines) > 0 {
		total = lines[len(lines)-1].N
	}
	return lines, total, rest
}

var truncatedRE = lazyregexp.New(`^\[(?:\.\.\. truncated, s|S)howing lines? \d+-(\d+)(?:,| of) (?:total lines in file: )?(\d+)`)

// JoinLines is the text of lines.
func JoinLines(lines []Numbered) string {
	return strings.Join(text.Of(lines, func(l Numbered) string { return l.Text + "\n" }), "")
}

// Found is a file in the result of search_files.
type Found struct {
	Path string
	Hits []Numbered
	More bool // it has hits that are not shown
}

// With is the file with those of its hits that are so.
func (f Found) With(so func(Numbered) bool) Found {
	f.Hits = slices.DeleteFunc(slices.Clone(f.Hits), func(h Numbered) bool { return !so(h) })
	return f
}

// LineHits reads the lines that search_files, list_tasks and get_links found, by file; more says that
// there are further ones.
func LineHits(result string) (files []Found, more bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "## "); ok {
			files = append(files, Found{Path: p})
			continue
		}
		m := moreRE().FindStringSubmatch(raw)
		h := lineRE().FindStringSubmatch(raw)
		switch {
		case m != nil && m[2] == "":
			more = true
		case len(files) == 0:
		case m != nil:
			files[len(files)-1].More = true
		case h != nil:
			n, _ := strconv.Atoi(h[1])
			f := &files[len(files)-1]
			f.Hits = append(f.Hits, Numbered{n, strings.TrimPrefix(h[2], "> ")})
		}
	}
	return files, more
}

// TaskHits reads the result of list_tasks. Of the tasks that are done those that were dropped are
// left out.
func TaskHits(result string, done bool) (files []Found, more bool) {
	files, more = LineHits(result)
	for i := range files {
		var kept []Numbered
		for _, h := range files[i].Hits {
			if m := taskLineRE().FindStringSubmatch(h.Text); m != nil && (!done || m[1] != "-") {
				kept = append(kept, Numbered{h.N, "- [" + m[1] + "] " + m[2]})
			}
		}
		files[i].Hits = kept
	}
	return files, more
}

var (
	lineRE     = lazyregexp.New(`^Line (\d+): (.*)$`)
	moreRE     = lazyregexp.New(`^\[([\d,]+) more (?:matching lines? (in this file)|(?:files?|items?) matched|(?:tasks?|lines?); )`)
	taskLineRE = lazyregexp.New(`^\[(.)\] (.*?)(?: \(under ".*"\))?$`)
)

// ListedFile is an entry of the result of list_files.
type ListedFile struct {
	Path   string
	Folder bool
}

// ListEntries reads the result of list_files. more is how many further items matched.
func ListEntries(result string) (entries []ListedFile, more int) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "[folder] "); ok {
			entries = append(entries, ListedFile{Path: strings.TrimSuffix(p, "/"), Folder: true})
			continue
		}
		if p, ok := strings.CutPrefix(raw, "[file] "); ok {
			if i := strings.LastIndex(p, " (modified: "); i >= 0 {
				p = p[:i]
			}
			entries = append(entries, ListedFile{Path: p})
			continue
		}
		if m := moreRE().FindStringSubmatch(raw); m != nil {
			more, _ = strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		}
	}
	return entries, more
}

// Reason is an error result without its mark, for the user.
func Reason(result string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(result, "Error: "), "\n\n[The limit of")
	return strings.TrimSpace(privateRE().ReplaceAllString(text, ", so I may not see $1."))
}

// privateRE is what a tool tells the agent of something private.
var privateRE = lazyregexp.New(`; the user hides (it|them) from you\. Continue without (?:it|them)\.`)
