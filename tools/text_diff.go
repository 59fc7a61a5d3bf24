package tools

// TextDiff is a unified diff from one text of a note to another, of bounded size; cut says that not
// all of it is in it.
func TextDiff(name, before, after string) (diff string, cut bool) {
	return textDiff(name, before, after)
}
