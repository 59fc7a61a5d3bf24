// Package journal records the changes of a vault by turn, so that they can be listed and undone. Before a change
// happens, its record and the contents that it replaces are on disk, so a change that was cut off can be recognized.
// The package does not know the vault: the caller describes each change, holds the lock that serializes changes, and
// determines how a change that was cut off ended.
//
// Files below journal/ in the vault's state folder, which only the owner can read:
//
//   - open/ID.jsonl: a turn in progress, or one whose process was killed
//   - turns/ID.jsonl: a turn that has ended
//
// A turn's file has a line of JSON for each record, and one for each content, in base64. A change is appended with one
// fsync before it happens. Its outcome is appended without one: if it is lost, the files show it.
package journal

import (
	"encoding/json"
	"time"
)

// SourceOwn is the source of the program's own changes, which undoing the last turn skips.
const SourceOwn = "chatvault"

// Origin describes on whose behalf a change is made. Changes with the same Turn are undone together; without a Turn,
// each change is a turn.
type Origin struct {
	Turn         string          `json:"turn"`            // ID of a message, or one for a single tool call
	Source       string          `json:"source"`          // "chat", "ask", "tool", "mcp", "undo", "redo", "chatvault"
	Title        string          `json:"title,omitempty"` // first words of the request
	Conversation string          `json:"conversation,omitempty"`
	Call         string          `json:"call,omitempty"`      // ID of the tool call
	Tool         string          `json:"tool,omitempty"`      // name of the tool
	Arguments    json.RawMessage `json:"arguments,omitempty"` // arguments of the tool call
	Undoes       string          `json:"undoes,omitempty"`    // for "undo" and "redo": the turn that is undone
}

// Turn is the changes for one message or tool call.
type Turn struct {
	Origin            // of the first change, without Call, Tool and Arguments
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"`    // zero if it was cut off or is running
	Running bool      `json:"running,omitempty"` // the process working on it is alive
	Changes []Change  `json:"changes"`           // in the order they were made
	Undone  bool      `json:"undone,omitempty"`  // all of it was undone and not redone since
	Partly  bool      `json:"partly,omitempty"`  // part of it was undone
}

// Cut reports whether the process ended during the turn.
func (t *Turn) Cut() bool { return t.Ended.IsZero() && !t.Running }

// Last returns the time of the last change. A damaged time does not make a turn older than its beginning.
func (t *Turn) Last() time.Time {
	if n := len(t.Changes); n > 0 && t.Changes[n-1].Time.After(t.Began) {
		return t.Changes[n-1].Time
	}
	return t.Began
}

// Change is one change of the vault.
//
// Op is "create", "overwrite", "move", "delete" or "mkdir" for changes by tools. Undo also uses "remove" (deletes a
// created file without the trash), "restore" (brings back deleted or removed files), "rmdir", and "none" (there was
// nothing to undo).
type Change struct {
	Seq       int             `json:"seq"` // number in the turn, from 1
	Time      time.Time       `json:"time"`
	Call      string          `json:"call,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // long ones are replaced by their length
	Op        string          `json:"op"`
	Path      string          `json:"path"`
	NewPath   string          `json:"new_path,omitempty"` // move: the destination; delete: the place in the trash
	Folder    bool            `json:"folder,omitempty"`   // Path is a folder
	Folders   []string        `json:"folders,omitempty"`  // folders that it creates, outermost first
	Gone      []Folder        `json:"gone,omitempty"`     // folders that it removes, outermost first
	Files     []File          `json:"files,omitempty"`    // every file whose content or path changes, by Path
	More      int             `json:"more,omitempty"`     // delete: number of files not listed; restore: of files not restored
	State     State           `json:"state"`
	Reason    string          `json:"reason,omitempty"` // why it failed, or what recovery found
	Undoes    *Undoes         `json:"undoes,omitempty"` // for an undo: the change that it undoes
	Undone    bool            `json:"undone,omitempty"`
	Partly    bool            `json:"partly,omitempty"`

	Modes map[string]uint32 `json:"-"` // permission bits of Folders to be created, if known
}

// Undoes refers to the change, in the turn Origin.Undoes, that another change undoes.
type Undoes struct {
	Seq  int      `json:"seq"`
	Left []string `json:"left,omitempty"` // paths that were left unchanged

	Again bool `json:"again,omitempty"` // that change was an undo itself, so this one is a redo
}

// Folder is a folder with its permission bits.
type Folder struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode"`
}

// File is a file that a change wrote, moved or removed.
type File struct {
	Path    string `json:"path"`
	NewPath string `json:"new_path,omitempty"` // path after the change if moved; otherwise ""
	Before  string `json:"before,omitempty"`   // hash of the old content; "" if the file did not exist
	After   string `json:"after,omitempty"`    // hash of the new content; "" if the file no longer exists
	Mode    uint32 `json:"mode,omitempty"`     // permission bits before
	Size    int64  `json:"size"`               // old size in bytes
	NewSize int64  `json:"new_size,omitempty"` // new size in bytes
	Kept    bool   `json:"kept,omitempty"`     // the old content is stored
	Links   int    `json:"links,omitempty"`    // number of links rewritten in it

	Modified time.Time `json:"modified,omitzero"` // modification time before

	// The permission bits and the modification time that the change sets; zero means the default. They are not recorded.
	NewMode     uint32    `json:"-"`
	NewModified time.Time `json:"-"`
}

// At returns the path of the file after the change, or "" if it no longer exists.
func (f *File) At() string {
	switch {
	case f.After == "":
		return ""
	case f.NewPath != "":
		return f.NewPath
	}
	return f.Path
}

// State is the state of a change.
type State string

// The states of a change.
const (
	Planned State = "planned" // no end is recorded: it was cut off or is in progress
	Done    State = "done"
	Failed  State = "failed" // nothing was changed
	// Unclear changes were cut off and left neither the old nor the new content.
	Unclear State = "unclear"
)
