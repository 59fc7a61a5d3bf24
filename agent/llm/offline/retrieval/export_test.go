package retrieval

// ParseMeta returns the metadata of a note.
func ParseMeta(text []byte) Meta {
	return parseMeta(text, func(Line) {})
}

// Lines classifies all lines of a note.
func Lines(text []byte) []Line {
	var out []Line
	eachLine(text, func(l Line) { out = append(out, l) })
	return out
}
