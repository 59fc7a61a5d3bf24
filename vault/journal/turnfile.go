package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"time"

	"chatvault/internal/text"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// record is one line of a turn's file, told apart by Type.
type record struct {
	Type   string    `json:"type"`
	Schema int       `json:"schema,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Origin *Origin   `json:"origin,omitempty"` // "turn"
	Change *Change   `json:"change,omitempty"` // "change"
}

// The types of records.
const (
	recordTurn   = "turn"   // it began
	recordChange = "change" // a change ended
	recordEnd    = "end"    // it ended; more may follow, where it is tried again
)

const (
	turnExt  = ".jsonl"
	asideExt = ".corrupt-lines"
)

// fileOf is the file of a turn in the journal's folder. An id that is no plain name is hashed.
func fileOf(id string) string {
	if !plainID(id) {
		sum := sha256.Sum256([]byte(id))
		id = "x" + hex.EncodeToString(sum[:16])
	}
	return turnsName + "/" + id + turnExt
}

// plainID says whether an id can be a file's name on every system.
func plainID(id string) bool {
	if id == "" || len(id) > 100 || strings.ContainsAny(id[:1]+id[len(id)-1:], "-.") {
		return false
	}
	return strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-_.") == ""
}

// turnFile is the file of a turn that is worked on.
type turnFile struct {
	name  string // in the journal's folder
	file  *os.File
	fresh bool // nothing is in it, and its name is not durable yet
	begun bool // the turn's first record is there
	seq   int  // of its last change
}

// openTurn opens a turn's file to append to, making it where it is missing.
func openTurn(root *os.Root, id string) (*turnFile, error) {
	t := &turnFile{name: fileOf(id)}
	old, err := readTurn(root, t.name) // what is set aside keeps its number
	switch {
	case err == nil:
		if old.later {
			return nil, errLater
		}
		t.begun, t.fresh = old.Turn.Turn != "", old.size == 0
		for i := range old.Changes {
			t.seq = max(t.seq, old.Changes[i].Seq)
		}
	case ifThere(err) != nil:
		return nil, err
	default:
		t.fresh = true
	}
	t.file, _, err = statefile.Open(root, t.name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// append adds a change to the turn's file, durably.
func (t *turnFile) append(root *os.Root, p Pending) error {
	var records []record
	if !t.begun {
		records = append(records, record{Type: recordTurn, Schema: schema, Time: p.Change.Time, Origin: &p.Origin})
	}
	records = append(records, record{Type: recordChange, Time: time.Now(), Change: &p.Change})
	if err := appendRecords(root, t.name, records...); err != nil {
		return err
	}
	t.begun = true
	if t.fresh {
		t.fresh = false
		return atomicfile.SyncDir(root, turnsName)
	}
	return nil
}

// close lets the turn go. A file that was made for it and holds nothing goes.
func (t *turnFile) close(root *os.Root) {
	if t.fresh {
		_ = root.Remove(t.name)
	}
	_ = t.file.Close()
}

// appendRecords appends records to a file, all or none of them.
func appendRecords(root *os.Root, name string, records ...record) error {
	text, err := lines(records)
	if err != nil {
		return err
	}
	return atomicfile.AppendFile(root, name, text, 0o600)
}

// lines are records as a file has them.
func lines(records []record) (text []byte, err error) {
	for _, r := range records {
		line, err := marshal(r)
		if err != nil {
			return nil, err
		}
		text = append(text, line...)
	}
	return text, nil
}

// storedTurn is a turn as its file has it.
type storedTurn struct {
	Turn
	name  string
	size  int64
	later bool     // written by a later version
	bad   [][]byte // lines that make no sense
}

// has says whether a change is on record.
func (t *storedTurn) has(seq int) bool {
	for i := range t.Changes {
		if t.Changes[i].Seq == seq {
			return true
		}
	}
	return false
}

// maxTurnFile bounds a turn's file that is read, in bytes.
const maxTurnFile = 256 << 20

// readTurn reads a turn's file; fs.ErrNotExist where there is none.
func readTurn(root *os.Root, name string) (*storedTurn, error) {
	data, err := readRegular(root, name)
	if err != nil {
		return nil, err
	}
	t := parseTurn(data)
	t.name, t.size = name, int64(len(data))
	return t, nil
}

// parseTurn returns what a turn's file says, and the lines that make no sense.
func parseTurn(data []byte) *storedTurn {
	t := &storedTurn{}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		err := json.Unmarshal(line, &r)
		if t.later = t.later || r.Schema > schema; t.later {
			continue // what it says may mean something else
		}
		if err != nil || !t.apply(&r) {
			t.bad = append(t.bad, line)
		}
	}
	return t
}

// apply adds a record; false when it makes no sense.
func (t *storedTurn) apply(r *record) bool {
	switch {
	case r.Type == recordTurn && r.Origin != nil && r.Origin.Turn != "":
		t.Origin, t.Began = *r.Origin, r.Time
	case r.Type == recordChange && r.Change != nil && r.Change.Seq > 0 && r.Change.Op != "":
		if t.has(r.Change.Seq) {
			return true // appended twice: once counts
		}
		c := *r.Change
		c.Undone, c.Partly = false, false
		t.Changes, t.Ended = append(t.Changes, c), time.Time{}
	case r.Type == recordEnd && !r.Time.IsZero():
		t.Ended = r.Time
	default:
		return false
	}
	return true
}

// readRegular reads a regular file whole, and never waits for a pipe.
func readRegular(root *os.Root, name string) ([]byte, error) {
	return statefile.Read(root, name, maxTurnFile)
}

// marshal is v as a line of JSON in which nothing is escaped that need not be.
func marshal(v any) ([]byte, error) {
	line, err := text.JSON(v)
	return append(line, '\n'), err
}
