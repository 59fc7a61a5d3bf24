package vault

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/text"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// RecordFault says what is wrong with a change as the journal has it, "" where nothing is. Whoever
// can write to the journal may have written it, so that it counts only where it is one that this
// program could have made: its operation is one of ours, it has the fields of that operation and no
// other, and what it names is what a tool may change, but for what is hidden in a folder that went
// as a whole. It looks neither at the disk nor at the private list. What it says goes on after "it",
// and names nothing.
func RecordFault(c *journal.Change) string {
	rule, known := recordRules[c.Op]
	switch {
	case !known:
		return "has an unknown operation"
	case fieldsOf(c)&^rule.fields != 0, c.Print != "" && c.More == 0:
		return "has fields that such a change does not have"
	case rule.undoes == never && c.Undoes != nil, rule.undoes == always && c.Undoes == nil:
		return "undoes what it cannot"
	}
	paths := recordPaths{seen: map[string]bool{}}
	if rule.inner && c.Folder && (c.Op == "delete" || c.From != "") {
		paths.inner = c.Path + "/"
	}
	if !paths.all(c) {
		return "names a file that no change can touch"
	}
	if !numbersFit(c) || !rule.fits(c) {
		return "does not fit such a change"
	}
	return ""
}

// recordRule is what a change with an operation may say.
type recordRule struct {
	fields recordFields
	undoes requirement
	inner  bool // it may name what is hidden in its folder
	fits   func(*journal.Change) bool
}

type requirement int

const (
	either requirement = iota
	never
	always
)

var recordRules = map[string]recordRule{
	"create":    {fields: withFolders | withFiles, undoes: never, fits: createFits},
	"overwrite": {fields: withFiles, fits: overwriteFits},
	"move":      {fields: withNewPath | withFolder | withFolders | withGone | withFiles, fits: moveFits},
	"delete":    {fields: withNewPath | withFolder | withTree | withFiles | withMore, inner: true, fits: deleteFits},
	"mkdir":     {fields: withFolders, fits: mkdirFits},
	"remove":    {fields: withFolder | withGone | withFiles, undoes: always, fits: removeFits},
	"restore":   {fields: withFrom | withFolder | withFolders | withTree | withFiles | withMore | withMissing, undoes: always, inner: true, fits: restoreFits},
	"rmdir":     {fields: withGone, undoes: always, fits: rmdirFits},
	// Nothing is done by it; earlier versions noted down what it might have brought back.
	"none": {fields: withFrom | withFolder | withTree | withMore, undoes: always, inner: true, fits: func(*journal.Change) bool { return true }},
}

// recordFields are the fields that say what a change is of, in the order in which fieldsOf has them.
type recordFields uint16

const (
	withNewPath recordFields = 1 << iota
	withFrom
	withFolder
	withFolders
	withGone
	withTree
	withFiles
	withMore
	withMissing
)

// fieldsOf are the fields that a change has.
func fieldsOf(c *journal.Change) recordFields {
	var fields recordFields
	for i, has := range []bool{
		c.NewPath != "", c.From != "", c.Folder, len(c.Folders) > 0, len(c.Gone) > 0, len(c.Tree) > 0, len(c.Files) > 0, c.More != 0, c.Missing != 0,
	} {
		if has {
			fields |= 1 << i
		}
	}
	return fields
}

// recordPaths checks the paths of a change, each folder once.
type recordPaths struct {
	inner string // begins what may be hidden; "": nothing may
	seen  map[string]bool
}

// all says whether a change names nothing but what can be in a vault, and be seen there.
func (p *recordPaths) all(c *journal.Change) bool {
	fine := p.fine(c.Path) && (c.Op != "move" || p.fine(c.NewPath)) && !slices.ContainsFunc(c.Folders, func(at string) bool { return !p.fine(at) })
	for _, folders := range [][]journal.Folder{c.Gone, c.Tree} {
		fine = fine && !slices.ContainsFunc(folders, func(f journal.Folder) bool { return !p.fine(f.Path) })
	}
	files := make(map[string]bool, len(c.Files))
	for i := range c.Files {
		f := &c.Files[i]
		fine = fine && !files[f.Path] && p.fine(f.Path) && (f.NewPath == "" || p.fine(f.NewPath))
		files[f.Path] = true // each once, or looking at them has no end
	}
	return fine
}

// maxRecordPath bounds a path in a record, in bytes: a walk meets longer ones than an operation takes.
const maxRecordPath = 1 << 16

func (p *recordPaths) fine(at string) bool {
	if fine, ok := p.seen[at]; ok {
		return fine
	}
	dir, base := path.Split(at)
	fine := len(at) <= maxRecordPath && plainName(base) && (dir == "" || p.fine(dir[:len(dir)-1])) &&
		(!pathname.Protected(base) || p.inner != "" && strings.HasPrefix(at, p.inner))
	p.seen[at] = fine
	return fine
}

// plainName says whether a name can be that of an entry of a folder.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= pathname.MaxName && fs.ValidPath(name) && filepath.IsLocal(name) &&
		!strings.ContainsRune(name, 0) && !strings.ContainsRune(name, '/') && (filepath.Separator == '/' || !strings.ContainsRune(name, filepath.Separator))
}

// maxRecordCount bounds what a record counts.
const maxRecordCount = 1 << 40

// numbersFit says whether the sizes, counts and modes of a change can be such.
func numbersFit(c *journal.Change) bool {
	count := func(n int64) bool { return n >= 0 && n <= maxRecordCount }
	mode := func(m uint32) bool { return m&^uint32(fs.ModePerm) == 0 }
	folder := func(f journal.Folder) bool { return !mode(f.Mode) }
	file := func(f journal.File) bool {
		return !mode(f.Mode) || f.Size < 0 || f.NewSize < 0 || !count(int64(f.Links))
	}
	return count(int64(c.Seq)) && count(int64(c.More)) && count(int64(c.Missing)) && (c.Undoes == nil || count(int64(c.Undoes.Seq))) &&
		!slices.ContainsFunc(c.Gone, folder) && !slices.ContainsFunc(c.Tree, folder) && !slices.ContainsFunc(c.Files, file)
}

func createFits(c *journal.Change) bool {
	return len(c.Files) == 1 && c.Files[0].Path == c.Path && c.Files[0].NewPath == "" && c.Files[0].Before == "" && journal.IsPrint(c.Files[0].After) &&
		allAbove(c.Folders, c.Path)
}

func overwriteFits(c *journal.Change) bool {
	return len(c.Files) > 0 && (c.Undoes != nil || len(c.Files) == 1) &&
		slices.ContainsFunc(c.Files, func(f journal.File) bool { return f.Path == c.Path }) &&
		!slices.ContainsFunc(c.Files, func(f journal.File) bool {
			return f.NewPath != "" || !journal.IsPrint(f.Before) && !isStatPrint(f.Before) || !journal.IsPrint(f.After)
		})
}

func moveFits(c *journal.Change) bool {
	if c.Path == c.NewPath || pathname.In(c.Path, c.NewPath) || pathname.In(c.NewPath, c.Path) || !allAbove(c.Folders, c.NewPath) || !allAbove(text.Of(c.Gone, func(f journal.Folder) string { return f.Path }), c.Path) {
		return false
	}
	return !slices.ContainsFunc(c.Files, func(f journal.File) bool {
		to := f.Path
		if f.Path == c.Path || c.Folder && pathname.In(f.Path, c.Path) {
			to = c.NewPath + strings.TrimPrefix(f.Path, c.Path)
		}
		moves := f.NewPath == to && to != f.Path || f.NewPath == "" && to == f.Path
		return !moves || !journal.IsPrint(f.Before) && !isStatPrint(f.Before) || !journal.IsPrint(f.After) && f.After != f.Before
	})
}

func deleteFits(c *journal.Change) bool {
	if c.NewPath != "" && !isTrashName(filepath.Base(c.NewPath), path.Base(c.Path), c.Folder) {
		return false
	}
	return wholeFits(c, func(f *journal.File) (of, none string) { return f.Before, f.After })
}

func restoreFits(c *journal.Change) bool {
	return wholeFits(c, func(f *journal.File) (of, none string) { return f.After, f.Before }) &&
		!slices.ContainsFunc(c.Folders, func(at string) bool { return !pathname.In(c.Path, at) && (!c.Folder || !pathname.In(at, c.Path)) })
}

// wholeFits says whether the files and folders of a change are what it is of, or in it; hashes are the
// hash that each file has, and the one that it must not have.
func wholeFits(c *journal.Change, hashes func(*journal.File) (of, none string)) bool {
	if !c.Folder && (len(c.Files) > 1 || len(c.Tree) > 0 || c.More > 0 || c.Missing > 0) {
		return false
	}
	for i := range c.Files {
		f := &c.Files[i]
		of, none := hashes(f)
		at := f.Path == c.Path && !c.Folder || c.Folder && f.Path != c.Path && pathname.In(f.Path, c.Path)
		if !at || f.NewPath != "" || none != "" || !journal.IsPrint(of) && !isStatPrint(of) && (!isLink(of) || !c.Folder) {
			return false
		}
	}
	return !slices.ContainsFunc(c.Tree, func(f journal.Folder) bool { return !pathname.In(f.Path, c.Path) })
}

func mkdirFits(c *journal.Change) bool { return allAbove(c.Folders, c.Path) }

func removeFits(c *journal.Change) bool {
	return wholeFits(c, func(f *journal.File) (of, none string) { return f.Before, f.After }) &&
		!slices.ContainsFunc(c.Gone, func(f journal.Folder) bool {
			return !above(f.Path, c.Path) && (!c.Folder || !pathname.In(f.Path, c.Path))
		})
}

func rmdirFits(c *journal.Change) bool {
	return !slices.ContainsFunc(c.Gone, func(f journal.Folder) bool { return !pathname.In(c.Path, f.Path) })
}

// above says whether a folder is one that a path is in, at any depth.
func above(folder, at string) bool { return folder != at && pathname.In(at, folder) }

func allAbove(folders []string, at string) bool {
	return !slices.ContainsFunc(folders, func(folder string) bool { return !above(folder, at) })
}

// isStatPrint says whether a print stands for a file that was not read.
func isStatPrint(print string) bool {
	size, modified, ok := strings.Cut(print, " bytes of ")
	_, sizeErr := strconv.ParseUint(size, 10, 63)
	_, modifiedErr := strconv.ParseInt(modified, 10, 64)
	return ok && sizeErr == nil && modifiedErr == nil
}

// isTrashName says whether what had a name can be called base in a trash.
func isTrashName(base, name string, folder bool) bool {
	if base == numbered(name, 0, folder) {
		return true
	}
	stem := base
	if ext := path.Ext(name); !folder {
		stem = strings.TrimSuffix(base, ext)
	}
	n, err := strconv.Atoi(stem[strings.LastIndexByte(stem, ' ')+1:])
	return err == nil && n > 0 && n < maxClashes && base == numbered(name, n, folder)
}
