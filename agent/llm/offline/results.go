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

// searchHits reads the result of search_files; more says that further files matched.
func searchHits(result string) (files []found, more bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "## "); ok {
			files = append(files, found{path: p})
			continue
		}
		if m := moreRE().FindStringSubmatch(raw); m != nil {
			if m[1] == "" {
				more = true
			} else if len(files) > 0 {
				files[len(files)-1].more = true
			}
			continue
		}
		rest, ok := strings.CutPrefix(raw, "Line ")
		if !ok || len(files) == 0 {
			continue
		}
		num, text, ok := strings.Cut(rest, ": > ")
		if n, err := strconv.Atoi(num); ok && err == nil {
			f := &files[len(files)-1]
			f.hits = append(f.hits, numbered{n, text})
		}
	}
	return files, more
}

var moreRE = lazyregexp.New(`^\[[\d,]+ more (?:(matching lines? in this file)|(?:files?|items?) matched)`)

// taskHits reads the result of list_tasks; more says that there are further tasks. Of those that
// are done the ones that were dropped are left out.
func taskHits(result string, done bool) (files []found, more bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "## "); ok {
			files = append(files, found{path: p})
			continue
		}
		if moreTasksRE().MatchString(raw) {
			more = true
		}
		m := taskLineRE().FindStringSubmatch(raw)
		if m == nil || len(files) == 0 || done && m[2] == "-" {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		f := &files[len(files)-1]
		f.hits = append(f.hits, numbered{n, "- [" + m[2] + "] " + m[3]})
	}
	return files, more
}

var (
	taskLineRE  = lazyregexp.New(`^Line (\d+): \[(.)\] (.*?)(?: \(under ".*"\))?$`)
	moreTasksRE = lazyregexp.New(`^\[[\d,]+ more tasks?; `)
)

// backlinkHits reads the backlinks in the result of get_links; more says that there are further
// ones.
func backlinkHits(result string) (files []found, more bool) {
	_, back, _ := strings.Cut(result, "\nBacklinks ")
	for raw := range strings.SplitSeq(back, "\n") {
		if p, ok := strings.CutPrefix(raw, "## "); ok {
			files = append(files, found{path: p})
			continue
		}
		more = more || moreLinksRE().MatchString(raw)
		rest, ok := strings.CutPrefix(raw, "Line ")
		if !ok || len(files) == 0 {
			continue
		}
		num, text, ok := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(num); ok && err == nil {
			f := &files[len(files)-1]
			f.hits = append(f.hits, numbered{n, text})
		}
	}
	return files, more
}

var moreLinksRE = lazyregexp.New(`^\[[\d,]+ more lines?; `)

// section is a heading with the lines of its section, in the result of get_outline.
type section struct {
	first, last, level int
	text               string
}

// sections reads the result of get_outline; more says that there are further headings.
func sections(result string) (list []section, more bool) {
	for raw := range strings.SplitSeq(result, "\n") {
		more = more || moreHeadingsRE().MatchString(raw)
		if m := sectionRE().FindStringSubmatch(raw); m != nil {
			first, _ := strconv.Atoi(m[1])
			last, _ := strconv.Atoi(m[2])
			list = append(list, section{first, last, len(m[3]), m[4]})
		}
	}
	return list, more
}

var (
	sectionRE      = lazyregexp.New(`^(\d+)-(\d+): (#{1,6}) (.*)$`)
	moreHeadingsRE = lazyregexp.New(`^\[[\d,]+ more headings?; `)
)

// listedFile is an entry of the result of list_files.
type listedFile struct {
	path     string
	folder   bool
	modified time.Time // its day
}

// listEntries reads the result of list_files. more is how many further items matched.
func listEntries(result string, loc *time.Location) (entries []listedFile, more int) {
	for raw := range strings.SplitSeq(result, "\n") {
		if p, ok := strings.CutPrefix(raw, "[folder] "); ok {
			entries = append(entries, listedFile{path: strings.TrimSuffix(p, "/"), folder: true})
			continue
		}
		if p, ok := strings.CutPrefix(raw, "[file] "); ok {
			e := listedFile{path: p}
			if i := strings.LastIndex(p, " (modified: "); i >= 0 {
				e.path = p[:i]
				e.modified, _ = time.ParseInLocation("Jan 2, 2006", strings.TrimSuffix(p[i+len(" (modified: "):], ")"), loc)
			}
			entries = append(entries, e)
			continue
		}
		if m := moreRE().FindStringSubmatch(raw); m != nil && strings.Contains(raw, "item") {
			digits := strings.ReplaceAll(strings.TrimPrefix(strings.SplitN(raw, " ", 2)[0], "["), ",", "")
			more, _ = strconv.Atoi(digits)
		}
	}
	return entries, more
}

// isNote says whether a path is a Markdown file.
func isNote(p string) bool {
	low := strings.ToLower(p)
	return strings.HasSuffix(low, ".md") || strings.HasSuffix(low, ".markdown")
}

// reason is an error result without its mark, for the user.
func reason(result string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(result, "Error: "), "\n\n[The limit of")
	return strings.TrimSpace(privateRE().ReplaceAllString(text, ", so I may not see $1."))
}

// privateRE is what a tool tells the agent of something private.
var privateRE = lazyregexp.New(`; the user keeps (it|them) from you\. Go on without (?:it|them)\.`)
