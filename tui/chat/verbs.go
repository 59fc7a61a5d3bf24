package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/tui/safe"
)

// verbs says what a tool does, for sentences. A tool that is not here runs.
var verbs = map[string]string{
	"read_file":        "reading",
	"write_file":       "writing",
	"edit_file":        "editing",
	"move_file":        "moving",
	"delete_file":      "deleting",
	"search_files":     "searching for",
	"find_notes":       "looking for notes on",
	"list_files":       "listing",
	"get_file_info":    "looking at",
	"create_folder":    "creating",
	"get_conversation": "looking into earlier conversations",
	"delegate":         "delegating:",
	"daily_note":       "opening the daily note of",
	"get_active_note":  "looking which note is open in Obsidian",
	"append_file":      "adding to",
	"set_property":     "setting a property of",
	"get_properties":   "looking at properties of",
	"get_links":        "looking at links of",
	"get_tags":         "looking at tags",
	"get_outline":      "looking at headings of",
	"list_tasks":       "listing tasks:",
}

// Doing puts a tool call into words, for one line of at most about width cells: "reading
// Projects/Alpha.md".
func Doing(name, target string, width int) string {
	verb, known := verbs[name]
	if !known {
		verb = "running " + safe.Line(name)
	}
	target = safe.Line(target)
	if target == "" {
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(verb, " of"), " for"), ":")
	}
	return verb + " " + shorten(target, max(width-len(verb)-1, 8))
}

// Sentence begins text with a capital letter.
func Sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[n:]
}
