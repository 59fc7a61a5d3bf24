// Package markdown draws Obsidian Markdown for a terminal.
//
// Every returned line fits the width and carries its own styles from start to end, so that lines may be shown in any
// order. No text is dropped, nothing is fetched, and a Stream ends up with the same lines as Render, however its text
// arrived.
//
// Parsing uses goldmark; the layout is this package's own: list items hang, tables shrink to the width, wide
// characters and long words wrap, and nesting is bounded.
//
// Input must be sanitized (see chatvault/internal/base/terminal). The parser decodes character references, so the output
// must be filtered too.
package markdown
