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

// record is a line of a turn's file.
type record struct {
	Type   string    `json:"type"`
	Schema int       `json:"schema,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Origin *Origin   `json:"origin,omitempty"` // for recordTurn
	Change *Change   `json:"change,omitempty"` // for recordChange
}

// Types of records.
const (
	recordTurn   = "turn"   // the turn began
	recordChange = "change" // a change ended
	recordEnd    = "end"    // the turn ended; more may follow after a retry
)

const (
	turnExt  = ".jsonl"
	asideExt = ".corrupt-lines"
)

// fileOf returns the path of a turn's file in the journal's folder. An ID that is not a portable name is hashed.
func fileOf(id string) string {
	if !plainID(id) {
		sum := sha256.Sum256([]byte(id))
		id = "x" + hex.EncodeToString(sum[:16])
	}
	return turnsName + "/" + id + turnExt
}

// plainID reports whether an ID is a valid file name on every system.
func plainID(id string) bool {
	if id == "" || len(id) > 100 || strings.ContainsAny(id[:1]+id[len(id)-1:], "-.") {
		return false
	}
	return strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-_.") == ""
}

// turnFile is the open file of a turn in progress.
type turnFile struct {
	name  string // in the journal's folder
	file  *os.File
	fresh bool // the file is empty and its name not durable yet
	begun bool // it has the turn's first record
	seq   int  // number of the last change
}

// openTurn opens a turn's file for appending, creating it if necessary.
func openTurn(root *os.Root, id string) (*turnFile, error) {
	t := &turnFile{name: fileOf(id)}
	old, err := readTurn(root, t.name) // numbers of damaged records are not reused
	switch {
	case err == nil:
		if old.later {
			return nil, errLater
		}
		t.begun, t.fresh = old.Turn.Turn != "", old.size == 0
		for i := range old.Changes {
			t.seq = max(t.seq, old.Changes[i].Seq)
		}
	case ignoreNotExist(err) != nil:
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

// append durably adds a change to the turn's file.
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

// close closes the file, and removes it if it is new and empty.
func (t *turnFile) close(root *os.Root) {
	if t.fresh {
		_ = root.Remove(t.name)
	}
	_ = t.file.Close()
}

// appendRecords appends all records to a file, or none.
func appendRecords(root *os.Root, name string, records ...record) error {
	text, err := lines(records)
	if err != nil {
		return err
	}
	return atomicfile.AppendFile(root, name, text, 0o600)
}

// lines encodes records as lines.
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

// storedTurn is a turn read from its file.
type storedTurn struct {
	Turn
	name  string
	size  int64
	later bool     // written by a newer version
	bad   [][]byte // invalid lines
}

// has reports whether a change is recorded.
func (t *storedTurn) has(seq int) bool {
	for i := range t.Changes {
		if t.Changes[i].Seq == seq {
			return true
		}
	}
	return false
}

// maxTurnFile is the limit for reading a turn's file, in bytes.
const maxTurnFile = 256 << 20

// readTurn reads a turn's file. The error is fs.ErrNotExist if there is none.
func readTurn(root *os.Root, name string) (*storedTurn, error) {
	data, err := readRegular(root, name)
	if err != nil {
		return nil, err
	}
	t := parseTurn(data)
	t.name, t.size = name, int64(len(data))
	return t, nil
}

// parseTurn parses a turn's file and collects its invalid lines.
func parseTurn(data []byte) *storedTurn {
	t := &storedTurn{}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		err := json.Unmarshal(line, &r)
		if t.later = t.later || r.Schema > schema; t.later {
			continue // a newer format may have another meaning
		}
		if err != nil || !t.apply(&r) {
			t.bad = append(t.bad, line)
		}
	}
	return t
}

// apply adds a record. It reports whether the record is valid.
func (t *storedTurn) apply(r *record) bool {
	switch {
	case r.Type == recordTurn && r.Origin != nil && r.Origin.Turn != "":
		t.Origin, t.Began = *r.Origin, r.Time
	case r.Type == recordChange && r.Change != nil && r.Change.Seq > 0 && r.Change.Op != "":
		if t.has(r.Change.Seq) {
			return true // appended twice
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

// readRegular reads a regular file. It does not block on a pipe.
func readRegular(root *os.Root, name string) ([]byte, error) {
	return statefile.Read(root, name, maxTurnFile)
}

// marshal encodes v as a line of JSON with minimal escaping.
func marshal(v any) ([]byte, error) {
	line, err := text.JSON(v)
	return append(line, '\n'), err
}
