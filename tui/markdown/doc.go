// Package markdown draws Obsidian Markdown for a terminal.
//
// It promises that every line it returns fits the width it was given, carries
// its own styles from its first cell to its last (so that lines may be shown in
// any order), that nothing of the text is dropped, that nothing is ever fetched,
// and that a Stream, however its text arrived, ends as Render would have drawn
// the whole text at once.
//
// It parses with goldmark and lays out by itself: list items hang, tables shrink
// to the width, wide characters and long words wrap, nesting is bounded.
//
// Text must have been made safe before (see chatvault/internal/terminal); the
// parser decodes character references, so what is drawn must be filtered after.
package markdown
