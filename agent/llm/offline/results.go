package offline

import (
	"strconv"
	"strings"
	"time"
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

var truncatedRE = lazy(`^\[(?:\.\.\. truncated, s|S)howing lines? \d+-(\d+)(?:,| of) (?:total lines in file: )?(\d+)`)

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

var moreRE = lazy(`^\[[\d,]+ more (?:(matching lines? in this file)|(?:files?|items?) matched)`)

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
	return strings.TrimSpace(text)
}
