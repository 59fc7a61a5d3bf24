package retrieval

// ParseMeta reads what a note says about itself.
func ParseMeta(notePath string, text []byte) Meta {
	var m Meta
	var props propertyReader
	m.Dates = isoDates(Name(notePath))
	eachLine(text, func(l Line) {
		switch l.Kind {
		case LineProperty:
			for _, p := range props.line(string(l.Text)) {
				m.property(p, l.Number)
			}
		case LineHeading:
			h := Heading{Text: PlainText(string(l.Text)), Level: l.Level, Line: l.Number}
			m.Headings = append(m.Headings, h)
			if m.Title == "" && l.Level == 1 {
				m.Title = h.Text
			}
		case LineText, LineItem, LineQuote:
			eachTag(l.Text, func(tag string) { m.Tags = appendNew(m.Tags, tag) })
		}
	})
	return m
}
