package markdown

import (
	"strings"

	"chatvault/internal/lazyregexp"
)

var yamlKey = lazyregexp.New(`^[\p{L}_][\p{L}\p{N}_ .-]{0,60}:(\s|$)`)

// frontMatter finds YAML front matter at the start of text: its length in bytes,
// fences included. open says that it began and has not ended yet, which only
// matters while text is still arriving.
func frontMatter(text string) (length int, open bool) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return 0, text == "-" || text == "--" || text == "---"
	}
	first := true
	pos := len("---\n")
	for {
		line, after, complete := strings.Cut(rest, "\n")
		if !complete {
			if line == "---" && !first {
				return pos + len(line), false
			}
			return 0, true
		}
		switch {
		case line == "---" && !first:
			return pos + len(line) + 1, false
		case strings.TrimSpace(line) == "", first && !yamlKey().MatchString(line):
			return 0, false
		}
		pos += len(line) + 1
		rest, first = after, false
	}
}
