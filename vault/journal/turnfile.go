package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// schema is the version of the file format. Version 1 had the contents in files of their own.
const schema = 2

// record is a line of a turn's file.
type record struct {
	Type    string    `json:"type"`
	Schema  int       `json:"schema,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	Origin  *Origin   `json:"origin,omitempty"`  // for recordTurn
	Change  *Change   `json:"change,omitempty"`  // for recordChange
	Outcome *outcome  `json:"outcome,omitempty"` // for recordOutcome
}

// outcome is how a change ended.
type outcome struct {
	Seq     int    `json:"seq"`
	State   State  `json:"state"`
	Reason  string `json:"reason,omitempty"`
	NewPath string `json:"new_path,omitempty"`
}

// Types of records. A content has a line of its own, see contentLine.
const (
	recordTurn    = "turn"    // the turn began
	recordChange  = "change"  // a change is about to happen, or in schema 1 ended
	recordOutcome = "outcome" // a change ended
	recordEnd     = "end"     // the turn ended; more may follow after a retry
)

// contentLine is the line of a content: its hash, the length of its base64, and that. The length saves reading it.
const contentLine = `{"type":"content","hash":"%64s","size":%d,"data":"`

const contentEnd = "\"}\n"

const (
	turnExt  = ".jsonl"
	asideExt = ".corrupt-lines"
)

// Print returns the hexadecimal SHA-256 of data, the key of a content.
func Print(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// IsPrint reports whether s is a result of Print. Other strings represent content that was not read.
func IsPrint(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// fileOf returns the name of a turn's file. An ID that is not a portable name is hashed.
func fileOf(id string) string {
	plain := id != "" && len(id) <= 100 && !strings.ContainsAny(id[:1]+id[len(id)-1:], "-.") && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-_.") == ""
	if !plain {
		id = "x" + Print([]byte(id))[:32]
	}
	return id + turnExt
}

// turnFile is the open file of a turn in progress, in open/.
type turnFile struct {
	*storedTurn
	file   *os.File
	lock   *flock.Flock // held while the turn is in progress
	synced bool         // its name is durable
}

// openTurn opens a turn's file for appending, creating it if necessary. A line torn by a crash is removed.
func (j *Journal) openTurn(id string) (*turnFile, error) {
	name := fileOf(id)
	if _, err := statefile.Stat(j.root, turnsName+"/"+name); err == nil { // the turn is retried
		if err := j.move(name, turnsName, openName); err != nil {
			return nil, err
		}
	}
	t, err := j.readTurn(openName, name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		t = &storedTurn{name: name, open: true, contents: map[string]position{}}
	case err != nil:
		return nil, err
	case t.later:
		return nil, errLater
	}
	f, _, err := statefile.Open(j.root, openName+"/"+name, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = f.Truncate(t.whole)
	}
	if err != nil {
		return nil, err
	}
	return &turnFile{storedTurn: t, file: f}, nil
}

// append adds contents by their hashes, unless the file has them, and records; all or nothing. With root, the folder
// with open/, it returns when they are on disk.
func (t *turnFile) append(keep map[string][]byte, root *os.Root, records ...record) error {
	size, added := t.whole, map[string]position{}
	w := bufio.NewWriterSize(io.NewOffsetWriter(t.file, t.whole), 64<<10) // its errors are those of Flush
	for _, hash := range slices.Sorted(maps.Keys(keep)) {
		if _, has := t.contents[hash]; has || !IsPrint(hash) {
			continue
		}
		n := int64(base64.StdEncoding.EncodedLen(len(keep[hash])))
		head, _ := fmt.Fprintf(w, contentLine, hash, n)
		added[hash] = position{t.name, size + int64(head), n}
		e := base64.NewEncoder(base64.StdEncoding, w)
		_, _ = e.Write(keep[hash])
		_ = e.Close()
		_, _ = w.WriteString(contentEnd)
		size += int64(head) + n + int64(len(contentEnd))
	}
	for _, r := range records {
		line, err := text.JSON(r)
		if err != nil {
			return err
		}
		_, _ = w.Write(append(line, '\n'))
		size += int64(len(line)) + 1
	}
	err := w.Flush()
	if err == nil && root != nil {
		err = t.sync(root)
	}
	if err != nil {
		_ = t.file.Truncate(t.whole) // otherwise the change would look as if it was cut off
		return err
	}
	t.whole = size
	maps.Copy(t.contents, added)
	for i := range records {
		t.apply(&records[i])
	}
	return nil
}

// sync makes the file durable, with its name.
func (t *turnFile) sync(root *os.Root) error {
	if err := t.file.Sync(); err != nil || t.synced {
		return err
	}
	err := atomicfile.SyncDir(root, openName)
	t.synced = err == nil
	return err
}

// close closes the file, and removes it if it is empty.
func (t *turnFile) close(root *os.Root) {
	if t.whole == 0 {
		_ = root.Remove(openName + "/" + t.name)
	}
	if t.lock != nil {
		_ = root.Remove(t.lockName())
		_ = t.lock.Close()
	}
	_ = t.file.Close()
}

// position is where a turn's file has the base64 of a content.
type position struct {
	turn     string // name of the file
	at, size int64
}

// readContent reads a content.
func (j *Journal) readContent(p position) ([]byte, error) {
	f, _, err := statefile.Open(j.root, openName+"/"+p.turn, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		f, _, err = statefile.Open(j.root, turnsName+"/"+p.turn, os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, base64.StdEncoding.DecodedLen(int(p.size)))
	n, err := io.ReadFull(base64.NewDecoder(base64.StdEncoding, io.NewSectionReader(f, p.at, p.size)), data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // padding
		err = nil
	}
	return data[:n], err
}

// storedTurn is a turn read from its file.
type storedTurn struct {
	Turn
	name     string
	open     bool  // in open/
	size     int64 // of the file
	whole    int64 // without a last line torn by a crash
	schema   int
	later    bool     // written by a newer version
	bad      [][]byte // invalid lines
	contents map[string]position
}

// lockName returns the name of the file that the process working on the turn has locked.
func (t *storedTurn) lockName() string { return openName + "/" + t.name + ".lock" }

// begun reports whether the file has the turn's first record.
func (t *storedTurn) begun() bool { return t.Turn.Turn != "" }

// change returns a change by its number, or nil.
func (t *storedTurn) change(seq int) *Change {
	for i := range t.Changes {
		if t.Changes[i].Seq == seq {
			return &t.Changes[i]
		}
	}
	return nil
}

// pending returns the last change if it has no outcome, otherwise nil.
func (t *storedTurn) pending() *Change {
	if n := len(t.Changes); n > 0 && t.Changes[n-1].State == Planned {
		return &t.Changes[n-1]
	}
	return nil
}

// maxTurnFile is the limit for reading a file, in bytes.
const maxTurnFile = 1 << 30

// readTurn reads a turn's file. The error is fs.ErrNotExist if there is none.
func (j *Journal) readTurn(folder, name string) (*storedTurn, error) {
	f, info, err := statefile.Open(j.root, folder+"/"+name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	t := &storedTurn{name: name, open: folder == openName, size: info.Size(), contents: map[string]position{}}
	head := make([]byte, len(contentLine)+64+20)
	for t.whole < t.size {
		n, err := f.ReadAt(head, t.whole)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if hash, at, size := parseContent(head[:n]); hash != "" && t.ends(f, t.whole+at+size) {
			t.contents[hash] = position{name, t.whole + at, size}
			t.whole += at + size + int64(len(contentEnd))
			continue
		}
		line, err := bufio.NewReader(io.NewSectionReader(f, t.whole, min(t.size, maxTurnFile)-t.whole)).ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // torn
		}
		if err != nil {
			return nil, err
		}
		t.whole += int64(len(line))
		t.parse(line)
	}
	if j.contents != nil {
		maps.Copy(j.contents, t.contents)
	}
	return t, nil
}

// parseContent parses the beginning of a content's line. at is the offset of its base64. The hash is "" if the line is
// another one.
func parseContent(line []byte) (hash string, at, size int64) {
	if n, err := fmt.Sscanf(string(line), contentLine, &hash, &size); n < 2 || err != nil || !IsPrint(hash) || size < 0 || size > maxTurnFile {
		return "", 0, 0
	}
	return hash, int64(bytes.Index(line, []byte(`"data":"`)) + len(`"data":"`)), size
}

// ends reports whether a content ends at an offset.
func (t *storedTurn) ends(f *os.File, at int64) bool {
	var end [len(contentEnd)]byte
	_, err := f.ReadAt(end[:], at)
	return err == nil && string(end[:]) == contentEnd
}

// parse adds a line of the file.
func (t *storedTurn) parse(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var r record
	err := json.Unmarshal(line, &r)
	t.schema = max(t.schema, r.Schema)
	if t.later = t.later || r.Schema > schema; t.later {
		return // a newer format may have another meaning
	}
	if err != nil || !t.apply(&r) {
		t.bad = append(t.bad, bytes.TrimSuffix(line, []byte{'\n'}))
	}
}

// apply adds a record. It reports whether the record is valid.
func (t *storedTurn) apply(r *record) bool {
	switch {
	case r.Type == recordTurn && r.Origin != nil && r.Origin.Turn != "":
		t.Origin, t.Began = *r.Origin, r.Time
	case r.Type == recordChange && r.Change != nil && r.Change.Seq > 0 && r.Change.Op != "":
		if t.change(r.Change.Seq) == nil {
			c := *r.Change
			c.Undone, c.Partly = false, false
			t.Changes, t.Ended = append(t.Changes, c), time.Time{}
		}
	case r.Type == recordOutcome && r.Outcome != nil && t.change(r.Outcome.Seq) != nil:
		c := t.change(r.Outcome.Seq)
		c.State, c.Reason, c.NewPath = r.Outcome.State, r.Outcome.Reason, r.Outcome.NewPath
	case r.Type == recordEnd && !r.Time.IsZero():
		t.Ended = r.Time
	default:
		return false
	}
	return true
}

// setAside copies invalid lines to a file next to the turn's and warns once. The turn's file is unchanged.
func (j *Journal) setAside(t *storedTurn) {
	if len(t.bad) == 0 || j.running[t.name] != nil {
		return
	}
	aside := turnsName + "/" + t.name + asideExt
	data := append(bytes.Join(t.bad, []byte{'\n'}), '\n')
	if old, err := statefile.Read(j.root, aside, maxTurnFile); err == nil && bytes.Equal(old, data) {
		return
	}
	what := fmt.Sprintf("%s of the journal (%s) could not be read", text.Count(len(t.bad), "line"), t.name)
	if err := atomicfile.WriteFile(j.root, aside, data, 0o600); err != nil {
		j.warn(fmt.Sprintf("%s: %v", what, err))
		return
	}
	j.warn(fmt.Sprintf("%s: set aside in %s; the rest is intact", what, filepath.Join(j.root.Name(), aside)))
}
