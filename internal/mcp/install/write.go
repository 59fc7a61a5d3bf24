package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"chatvault/internal/atomicfile"
	"chatvault/internal/text"
)

// maxFile bounds a configuration file that is edited, in bytes.
const maxFile = 64 << 20

// Written is what Write did.
type Written struct {
	File   string
	Backup string // what was there before; "": there was no file
	Same   bool   // the entry was there already, and nothing was written
}

// Write puts the server's entry into the program's file. What the file held before is kept beside it.
// A file that cannot be understood is left as it is.
func (c Client) Write(e Env, s Server, now time.Time) (Written, error) {
	w := Written{File: c.File(e)}
	if !c.Writes {
		return w, fmt.Errorf("the entry for %s is only printed: put it into %s yourself", c.Title, w.File)
	}
	if real, err := filepath.EvalSymlinks(w.File); err == nil {
		w.File = real // a link to where somebody keeps it stays one
	}
	dir := filepath.Dir(w.File)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return w, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return w, err
	}
	defer func() { _ = root.Close() }()
	name := filepath.Base(w.File)
	before, mode, err := readFile(root, name)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w, err
	}
	after, err := Set(before, append(slices.Clone(c.path), s.Name), c.entry(s))
	if err != nil {
		return w, fmt.Errorf("%s is left as it is: %w. Put the entry there yourself: chatvault mcp install %s prints it", w.File, err, c.Name)
	}
	if w.Same = bytes.Equal(before, after); w.Same {
		return w, nil
	}
	if there {
		w.Backup = w.File + ".before-chatvault-" + now.Format("20060102-150405")
		if err := atomicfile.WriteFile(root, filepath.Base(w.Backup), before, mode); err != nil {
			return w, err
		}
	}
	if now, _, err := readFile(root, name); !bytes.Equal(now, before) || there != (err == nil) {
		return w, fmt.Errorf("%s was changed by somebody else in this moment, and is left as it is: try again, best when %s does not run", w.File, c.Title)
	}
	return w, atomicfile.WriteFile(root, name, after, mode)
}

func readFile(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, 0o600, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", filepath.Join(root.Name(), name))
	case info.Size() > maxFile:
		return nil, 0, fmt.Errorf("%s is larger than %d MB", filepath.Join(root.Name(), name), maxFile>>20)
	}
	data, err := root.ReadFile(name)
	return data, info.Mode().Perm(), err
}

// Set puts a value at a path of object keys into a document of JSON, which may have comments and trailing
// commas, and makes the objects that are missing on the way. Every byte that is not the value's stays.
// An empty document counts as an empty object. The error says what cannot be understood.
func Set(doc []byte, path []string, value any) ([]byte, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		doc = []byte("{}\n")
	}
	root, err := hujson.Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	e := editor{doc: doc, unit: unitOf(doc), end: "\n"}
	if bytes.Contains(doc, []byte("\r\n")) {
		e.end = "\r\n"
	}
	at := &root
	for i, key := range path {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not an object", named(path[:i]))
		}
		var found []*hujson.ObjectMember
		for k := range o.Members {
			if name, ok := o.Members[k].Name.Value.(hujson.Literal); ok && name.String() == key {
				found = append(found, &o.Members[k])
			}
		}
		switch len(found) {
		case 0:
			return e.insert(at, o, path[i:], value)
		case 1:
			at = &found[0].Value
		default:
			return nil, fmt.Errorf("it has %s more than once", named(path[:i+1]))
		}
	}
	text, err := e.text(value, e.indentAt(at.StartOffset))
	if err != nil {
		return nil, err
	}
	return e.splice(at.StartOffset, at.EndOffset, text), nil
}

func named(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return strings.Join(path, ".")
}

// editor edits a document by its offsets.
type editor struct {
	doc  []byte
	unit string // of indentation
	end  string // of a line
}

// insert puts a member at the end of an object.
func (e *editor) insert(at *hujson.Value, o *hujson.Object, path []string, value any) ([]byte, error) {
	for _, key := range slices.Backward(path[1:]) {
		value = map[string]any{key: value}
	}
	outer := e.indentAt(at.StartOffset)
	indent := outer + e.unit
	name, err := json.Marshal(path[0])
	if err != nil {
		return nil, err
	}
	if len(o.Members) == 0 {
		text, err := e.text(value, indent)
		if err != nil {
			return nil, err
		}
		member := e.end + indent + string(name) + ": " + text
		within := string(e.doc[at.StartOffset+1 : at.EndOffset-1]) // blanks, or comments
		if strings.TrimSpace(within) == "" {
			return e.splice(at.StartOffset+1, at.EndOffset-1, member+e.end+outer), nil
		}
		if !strings.Contains(within, "\n") {
			member += e.end + outer
		}
		return e.splice(at.StartOffset+1, at.StartOffset+1, member), nil
	}
	last := o.Members[len(o.Members)-1]
	if i := e.lineStart(last.Name.StartOffset); strings.TrimSpace(string(e.doc[i:last.Name.StartOffset])) == "" {
		indent = string(e.doc[i:last.Name.StartOffset])
	}
	text, err := e.text(value, indent)
	if err != nil {
		return nil, err
	}
	member := string(name) + ": " + text
	// A comment on the line of the last member stays with it.
	after := last.Value.EndOffset
	rest := e.doc[after : at.EndOffset-1]
	trailing := last.Value.AfterExtra != nil // there is a comma behind it
	line := bytes.IndexByte(rest, '\n')
	if line < 0 {
		if trailing {
			return e.splice(at.EndOffset-1, at.EndOffset-1, " "+member), nil
		}
		return e.splice(after, after, ", "+member), nil
	}
	if line > 0 && rest[line-1] == '\r' {
		line--
	}
	ends := after + line
	if !trailing {
		out := e.splice(ends, ends, e.end+indent+member)
		return (&editor{doc: out}).splice(after, after, ","), nil
	}
	if len(last.Value.AfterExtra) > line { // alone on a later line
		return e.splice(at.EndOffset-1, at.EndOffset-1, indent+member+e.end+outer), nil
	}
	return e.splice(ends, ends, e.end+indent+member+","), nil
}

// text is a value as it stands behind its name.
func (e *editor) text(value any, indent string) (string, error) {
	var b bytes.Buffer
	enc := text.Encoder(&b)
	enc.SetIndent(indent, e.unit)
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", e.end), nil
}

func (e *editor) splice(from, to int, text string) []byte {
	return slices.Concat(e.doc[:from], []byte(text), e.doc[to:])
}

func (e *editor) lineStart(at int) int { return bytes.LastIndexByte(e.doc[:at], '\n') + 1 }

// indentAt is the white space that begins the line of an offset.
func (e *editor) indentAt(at int) string {
	line := e.doc[e.lineStart(at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitOf is how a document indents: as its first indented line does.
func unitOf(doc []byte) string {
	for line := range bytes.Lines(doc) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}
