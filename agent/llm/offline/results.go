package offline

import (
	"strconv"
	"strings"
	"time"

	"chatvault/internal/lazyregexp"
)

// numbered is a line of a file with its number.
type numbered struct {
	n    int
	text string
}

// fileLines reads the result of read_file. total is the number of lines in the file; rest says
// that the file goes on after the last line.
func fileLines(result string) (lines []numbered, total int, rest bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		head, text, ok := strings.Cut(raw, ": ")
		if !ok {
			head, ok = strings.CutSuffix(raw, ":")
			text = ""
		}
		if n, err := strconv.Atoi(head); ok && err == nil && n > 0 && (len(lines) == 0 || n == lines[len(lines)-1].n+1) {
			lines = append(lines, numbered{n, text})
			continue
		}
		if m := truncatedRE().FindStringSubmatch(raw); m != nil {
			total, _ = strconv.Atoi(m[2])
			last, _ := strconv.Atoi(m[1])
			rest = last < total
		}
	}
	if total == 0 && len(lines) > 0 {
		total = lines[len(lines)-1].n
	}
	return lines, total, rest
}

var truncatedRE = lazyregexp.New(`^\[(?:\.\.\. truncated, s|S)howing lines? \d+-(\d+)(?:,| of) (?:total lines in file: )?(\d+)`)

// joinLines is the text of lines.
func joinLines(lines []numbered) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// found is a file in the result of search_files.
type found struct {
	path string
	hits []numbered
	more bool // it has hits that are not shown
}

// lineHits reads the lines that search_files, list_tasks and get_links found, by file; more says that
// there are further ones.
func lineHits(result string) (files []found, more bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "## "); ok {
			files = append(files, found{path: p})
			continue
		}
		m := moreRE().FindStringSubmatch(raw)
		h := lineRE().FindStringSubmatch(raw)
		switch {
		case m != nil && m[2] == "":
			more = true
		case len(files) == 0:
		case m != nil:
			files[len(files)-1].more = true
		case h != nil:
			n, _ := strconv.Atoi(h[1])
			f := &files[len(files)-1]
			f.hits = append(f.hits, numbered{n, strings.TrimPrefix(h[2], "> ")})
		}
	}
	return files, more
}

// taskHits reads the result of list_tasks. Of the tasks that are done those that were dropped are
// left out.
func taskHits(result string, done bool) (files []found, more bool) {
	files, more = lineHits(result)
	for i := range files {
		var kept []numbered
		for _, h := range files[i].hits {
			if m := taskLineRE().FindStringSubmatch(h.text); m != nil && (!done || m[1] != "-") {
				kept = append(kept, numbered{h.n, "- [" + m[1] + "] " + m[2]})
			}
		}
		files[i].hits = kept
	}
	return files, more
}

var (
	lineRE     = lazyregexp.New(`^Line (\d+): (.*)$`)
	moreRE     = lazyregexp.New(`^\[([\d,]+) more (?:matching lines? (in this file)|(?:files?|items?) matched|(?:tasks?|lines?); )`)
	taskLineRE = lazyregexp.New(`^\[(.)\] (.*?)(?: \(under ".*"\))?$`)
)

// listedFile is a note in a list, or an entry of the result of list_files.
type listedFile struct {
	path     string
	folder   bool
	modified time.Time // its day
}

// listEntries reads the result of list_files. more is how many further items matched.
func listEntries(result string) (entries []listedFile, more int) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "[folder] "); ok {
			entries = append(entries, listedFile{path: strings.TrimSuffix(p, "/"), folder: true})
			continue
		}
		if p, ok := strings.CutPrefix(raw, "[file] "); ok {
			if i := strings.LastIndex(p, " (modified: "); i >= 0 {
				p = p[:i]
			}
			entries = append(entries, listedFile{path: p})
			continue
		}
		if m := moreRE().FindStringSubmatch(raw); m != nil {
			more, _ = strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		}
	}
	return entries, more
}

// reason is an error result without its mark, for the user.
func reason(result string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(result, "Error: "), "\n\n[The limit of")
	return strings.TrimSpace(privateRE().ReplaceAllString(text, ", so I may not see $1."))
}

// privateRE is what a tool tells the agent of something private.
var privateRE = lazyregexp.New(`; the user keeps (it|them) from you\. Go on without (?:it|them)\.`)
