package argument

import (
	"slices"

	"chatvault/internal/text"
)

// argumentSynonyms are words of other programs for our arguments, folded, with ours
// in the order to try.
var argumentSynonyms = map[string][]string{
	"file":        {"path", "source"},
	"filename":    {"path"},
	"filepath":    {"path"},
	"name":        {"path"},
	"note":        {"path"},
	"folder":      {"path"},
	"dir":         {"path"},
	"directory":   {"path"},
	"target":      {"path", "destination"},
	"query":       {"pattern"},
	"regex":       {"pattern"},
	"regexp":      {"pattern"},
	"search":      {"pattern", "old_text"},
	"glob":        {"file_pattern", "pattern"},
	"include":     {"file_pattern"},
	"path":        {"source", "file_pattern"},
	"from":        {"source", "start_line", "start"},
	"src":         {"source"},
	"oldpath":     {"source"},
	"to":          {"destination", "end_line", "end"},
	"dest":        {"destination"},
	"newpath":     {"destination"},
	"text":        {"content", "message", "question", "task"},
	"body":        {"content", "message"},
	"data":        {"content"},
	"old":         {"old_text"},
	"oldstring":   {"old_text"},
	"oldstr":      {"old_text"},
	"find":        {"old_text"},
	"new":         {"new_text"},
	"newstring":   {"new_text"},
	"newstr":      {"new_text"},
	"replace":     {"new_text"},
	"replacement": {"new_text"},
	"insertline":  {"insert_after_line"},
	"line":        {"insert_after_line", "start_line"},
	"limit":       {"max_results", "end_line"},
	"count":       {"max_results"},
	"offset":      {"start_line"},
	"start":       {"start_line"},
	"end":         {"end_line"},
	"force":       {"recursive"},
	"choices":     {"options"},
	"answers":     {"options"},
	"tasks":       {"items"},
	"todos":       {"items"},
	"steps":       {"items"},
	"prompt":      {"task", "question", "message"},
	"description": {"task"},
	"completed":   {"done"},
}

// argumentMeant is which of the free arguments an unknown name was probably meant to
// be, or "": by meaning first ("file" is no misspelt "path"), then by spelling.
func argumentMeant(name string, free []string) string {
	for _, ours := range argumentSynonyms[text.Unseparated(name)] {
		if slices.Contains(free, ours) {
			return ours
		}
	}
	return text.Near(name, free)
}
