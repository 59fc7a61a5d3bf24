package tools

import "chatvault/vault/walk"

// leftOutText says, as the last line of a result, that something was left out because Obsidian's
// settings exclude it, and how to have it all the same; "" where nothing was. It names none of it.
func leftOutText(l walk.LeftOut, done, does string) string {
	if !l.Any() {
		return ""
	}
	var what string
	switch {
	case l.Files == 0:
		what = counted(l.Folders, "folder")
	case l.Folders == 0:
		what = counted(l.Files, "file")
	default:
		what = counted(l.Folders, "folder") + " and " + counted(l.Files, "file")
	}
	were, them := "were", "them"
	if l.Files+l.Folders == 1 {
		were, them = "was", "it"
	}
	return "\n\n[" + what + " that Obsidian's settings exclude " + were + " not " + done + "; include_ignored " + does + " " + them + "]"
}
