package home

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// foldsSuffix is the end of the name of the file that says which pastes of a draft show folded:
// drafts/N.folds.json. The draft itself is whole without it.
const foldsSuffix = ".folds.json"

// foldsFile is what stands in it.
type foldsFile struct {
	Schema int      `json:"schema"`
	Folds  []string `json:"folds"`
}

const foldsSchema = 1

func (d *Drafts) foldsName() string { return strings.TrimSuffix(d.file, ".txt") + foldsSuffix }

// SaveFolds keeps the pastes that show folded in the draft; none removes the file.
func (d *Drafts) SaveFolds(folds []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return
	}
	var err error
	if len(folds) > 0 {
		var data []byte
		if data, err = json.Marshal(foldsFile{foldsSchema, folds}); err == nil {
			err = atomicfile.WriteFile(d.state, d.foldsName(), data, 0o600)
		}
	} else if err = atomicfile.Remove(d.state, d.foldsName()); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		d.log.Warn("how the draft is folded was not saved", "error", err)
	}
}

// LoadFolds gives them; what makes no sense is none.
func (d *Drafts) LoadFolds() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return nil
	}
	data, err := statefile.Read(d.state, d.foldsName(), 4*maxEdited)
	if err != nil {
		return nil
	}
	var f foldsFile
	if json.Unmarshal(data, &f) != nil || f.Schema != foldsSchema {
		return nil
	}
	return f.Folds
}
