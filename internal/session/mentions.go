package session

// VaultFile is a file or folder that may be named in a message.
type VaultFile struct {
	Path   string // true name, without a slash at the end
	Folder bool
	Size   int64 // bytes; of a folder, how many entries it has, -1 where that was not counted
	// Why says in a few words why a file that is there cannot go with a message; empty: it can.
	Why string
}

// NoteWords are the names that notes give themselves and others.
type NoteWords struct {
	Aliases []NoteAlias
	Tags    []string // without "#", the most used first
}

// NoteAlias is another name of a note.
type NoteAlias struct{ Path, Alias string }
