package retrieval

// ParseMeta reads what a note says about itself.
func ParseMeta(notePath string, text []byte) Meta {
	return parseMeta(notePath, text, func(Line) {})
}
