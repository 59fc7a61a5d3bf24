package pathname

import (
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// The marks that synchronisation programs append to the name of a conflict copy, before the extension.
var (
	// Of Syncthing; ownCloud; Synology Drive; Resilio Sync and rclone; pCloud; Google Drive; OneDrive on Linux.
	conflictMark = lazyregexp.New(`(?i)(?:\.sync-conflict-\d{8}-\d{6}(?:-\w+)?|[ _.-]conflict-\d{8}-\d{6}|_[^/]*\d{4}_\w*conflict\d*|\.conflict\d*|` +
		` ?\[conflict(?:ed)?(?: \d+)?\]|_conf\(\d+\)|-[^/]+-safeBackup-\d+)$`)
	// Of Dropbox, Nextcloud, Obsidian Sync, Google Drive, Seafile and MEGA, in their languages.
	remark       = lazyregexp.New(` ?\(((?:[^()]|\([^()]*\))+)\)$`)
	conflictWord = lazyregexp.New(`(?i)confli|konfli|конфликт|競合|冲突|衝突|충돌|çakış`)
	copyWord     = lazyregexp.New(`(?i)\bcop(?:y|ie|ia)\b|cópia|k[oó]pi|копи|コピー|副本|複本|复本|複製|사본|복사본|kopya|^(?:case|unicode|white|selective|mega|sfconflict) `)
	// Of iCloud, Google Drive and OneDrive, which names of other files have too.
	numberMark = lazyregexp.New(`(?: \d{1,2}| ?\((?:\d{1,2}|conflict(?:ed)?(?: [\d-]+)?)\))$`)
)

// ConflictOf returns the name of the file of which a synchronisation program made this conflict copy. Other files may
// have such a name too unless sure is set; it then is a copy only if one of the originals exists and reads much alike.
func ConflictOf(name string) (originals []string, sure bool) {
	ext := path.Ext(name)
	if strings.ContainsAny(ext, " ()[]") {
		ext = "" // of a name with a dot and without an extension
	}
	stem := strings.TrimSuffix(name, ext)
	if at := conflictMark().FindStringIndex(stem); at != nil && at[0] > 0 {
		return []string{stem[:at[0]] + ext}, true
	}
	for _, s := range []string{stem, numberMark().ReplaceAllString(stem, "")} {
		at := remark().FindStringSubmatchIndex(s)
		if at != nil && at[0] > 0 && conflictWord().MatchString(s[at[2]:at[3]]) && copyWord().MatchString(s[at[2]:at[3]]) {
			return []string{s[:at[0]] + ext}, true
		}
	}
	if at := numberMark().FindStringIndex(stem); at != nil && at[0] > 0 {
		return []string{stem[:at[0]] + ext}, false
	}
	for i := len(stem) - 1; i > 0; i-- {
		if stem[i] == '-' { // a computer's name may have one too
			originals = append(originals, stem[:i]+ext)
		}
	}
	return originals, false
}

// CopiesLast moves conflict copies behind the files that they are copies of. alike reports whether two items read the
// same, which decides for names that other files have too.
func CopiesLast[T any](items []T, pathOf func(T) string, alike func(a, b T) bool) {
	for i := len(items) - 1; i >= 0; i-- {
		dir, name := path.Split(pathOf(items[i]))
		originals, sure := ConflictOf(name)
		for j := len(items) - 1; j > i && len(originals) > 0; j-- {
			of, base := path.Split(pathOf(items[j]))
			if of == dir && slices.Contains(originals, base) && (sure || alike(items[i], items[j])) {
				item := items[i]
				copy(items[i:j], items[i+1:])
				items[j] = item
				break
			}
		}
	}
}
