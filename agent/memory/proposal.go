package memory

import (
	"slices"
	"strings"
)

// maxArchitecture bounds a proposal for information_architecture, in bytes.
const maxArchitecture = 16_000

// proposalWords open the block with a new text for information_architecture.
var proposalWords = []string{"information_architecture", "information-architecture", "informationarchitecture", "architecture"}

// Proposal takes a retrospection apart: what it says, and the text it proposes for the setting
// information_architecture; empty: none, or none that differs. It stands in a fenced block that
// says so; of several the last one counts. One that is not closed was cut off, and is none.
func Proposal(text, current string) (content, architecture string) {
	lines := strings.Split(text, "\n")
	from, to := -1, -1
	for i := 0; i < len(lines); i++ {
		mark, info := openingFence(lines[i])
		if mark == "" {
			continue
		}
		end := i + 1
		for end < len(lines) && !closes(lines[end], mark) {
			end++
		}
		if end < len(lines) && slices.Contains(proposalWords, strings.ToLower(info)) {
			from, to = i, end
		}
		i = end
	}
	if from < 0 {
		return text, ""
	}
	proposed := strings.TrimSpace(strings.Join(lines[from+1:to], "\n"))
	content = strings.TrimSpace(strings.Join(slices.Concat(lines[:from], lines[to+1:]), "\n"))
	if content == "" {
		content = text
	}
	if proposed == "" || len(proposed) > maxArchitecture || proposed == strings.TrimSpace(current) {
		return content, ""
	}
	return content, proposed
}

// openingFence is the mark of a line that opens a fenced block, and the word after it.
func openingFence(line string) (mark, info string) {
	line = strings.TrimSpace(line)
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			return line[:len(line)-len(rest)], word
		}
	}
	return "", ""
}

// closes says whether a line closes the block that mark opened.
func closes(line, mark string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(mark) && strings.Trim(line, mark[:1]) == ""
}
