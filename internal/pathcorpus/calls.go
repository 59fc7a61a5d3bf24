package pathcorpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Call is a call of a tool that a path of the corpus goes through.
type Call struct {
	Tool    string
	form    string   // the arguments; %s is the path as JSON
	ops     []string // what the corpus calls what it does
	creates bool     // a name that nothing has is no error
	Writes  bool
	pattern bool // the path is taken for something else: only what comes out counts
}

// Calls are all the ways in which a tool takes a path, or a text that one might be put into.
var Calls = []Call{
	{Tool: "read_file", form: `{"path": %s}`, ops: []string{"read"}},
	{Tool: "write_file", form: `{"path": %s, "content": "written\n"}`, ops: []string{"write"}, creates: true, Writes: true},
	{Tool: "edit_file", form: `{"path": %s, "insert_after_line": 0, "content": "edited"}`, ops: []string{"edit"}, Writes: true},
	{Tool: "get_file_info", form: `{"path": %s}`, ops: []string{"info"}},
	{Tool: "list_files", form: `{"path": %s, "pattern": "**"}`, ops: []string{"list"}},
	{Tool: "list_files", form: `{"pattern": %s}`, ops: []string{"search"}, pattern: true},
	{Tool: "create_folder", form: `{"path": %s}`, ops: []string{"create_folder"}, creates: true, Writes: true},
	{Tool: "delete_file", form: `{"path": %s}`, ops: []string{"delete"}, Writes: true},
	{Tool: "move_file", form: `{"source": %s, "destination": "moved.md"}`, ops: []string{"move"}, Writes: true},
	{Tool: "move_file", form: `{"source": "source.md", "destination": %s}`, ops: []string{"move"}, creates: true, Writes: true},
	{Tool: "move_file", form: `{"source": "notes/sub", "destination": %s}`, ops: []string{"move-dest"}, creates: true, Writes: true},
	{Tool: "search_files", form: `{"pattern": "SECRET", "file_pattern": %s}`, ops: []string{"search"}, pattern: true},
	{Tool: "append_file", form: `{"path": %s, "content": "appended"}`, ops: []string{"edit"}, Writes: true},
	{Tool: "append_file", form: `{"path": %s, "content": "appended", "create": true}`, ops: []string{"write"}, creates: true, Writes: true},
	{Tool: "set_property", form: `{"path": %s, "key": "k", "value": "v"}`, ops: []string{"edit"}, Writes: true},
	{Tool: "get_outline", form: `{"path": %s}`, ops: []string{"read"}},
	{Tool: "get_properties", form: `{"path": %s}`, ops: []string{"list"}},
	{Tool: "get_note_history", form: `{"path": %s}`, ops: []string{"read"}},
	{Tool: "get_links", form: `{"path": %s}`, ops: []string{"read"}},
	{Tool: "get_links", form: `{"path": %s, "mode": "unresolved"}`, ops: []string{"list"}},
	{Tool: "find_notes", form: `{"query": "secret", "path": %s}`, ops: []string{"list"}},
	{Tool: "get_tags", form: `{"path": %s}`, ops: []string{"list"}},
	{Tool: "list_tasks", form: `{"path": %s, "state": "all"}`, ops: []string{"list"}},
	{Tool: "list_tasks", form: `{"file_pattern": %s, "state": "all"}`, ops: []string{"search"}, pattern: true},
	{Tool: "daily_note", form: `{"action": "append", "content": "x", "date": %s}`, ops: []string{"write"}, pattern: true, Writes: true},
	{Tool: "get_conversation", form: `{"conversation_id": %s}`, ops: []string{"read"}, pattern: true},
}

// NoPath are the tools that take no path: whoever makes another tool adds it here or to Calls.
var NoPath = []string{"ask_user", "delegate", "end_conversation", "get_active_note", "send_message", "task_list", "use_skill"}

// Covers says whether calls of the tool go through the corpus, or it takes no path.
func Covers(tool string) bool {
	return slices.Contains(NoPath, tool) || slices.ContainsFunc(Calls, func(c Call) bool { return c.Tool == tool })
}

// For reports whether the row applies to the call.
func (c Call) For(r Row) bool { return r.For(c.ops...) }

// Args are the call's arguments with the row's path in them, as JSON but for bytes that are not
// UTF-8, which are there as they are.
func (c Call) Args(r Row) string { return fmt.Sprintf(c.form, quote(r.Path)) }

// quote writes a path as JSON, bytes that are not UTF-8 as they are.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\' || c < 0x20:
			b.WriteString(`\u00` + strconv.FormatUint(uint64(c)|0x100, 16)[1:])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Judge says what is wrong with a call's result, its text and whether it is an error; empty:
// nothing. exists says that the refusal was that there is one already.
func (c Call) Judge(r Row, text string, isError, exists bool) string {
	const most = 2000 // bytes
	switch {
	case strings.Contains(text, Secret) && !strings.HasPrefix(r.Path, "hard"):
		return "the secret came out: " + text
	case isError != strings.HasPrefix(text, "Error: ") || len(text) > most:
		return fmt.Sprintf("is error: %v, %d bytes: %.300s", isError, len(text), text)
	case c.pattern:
	case slices.Contains(c.ops, "list") && r.Path == "": // no folder is the root
	case r.Path == "Notes/A.md": // one match ignoring case is used
	case r.Expect == Deny && !isError:
		return "it was allowed: " + text
	case r.Expect == NotFound && !c.creates && !isError:
		return "it found something: " + text
	case r.Expect == NotFound && c.creates && isError && !exists:
		return "it is only a name, but " + text
	case r.Expect == Allow && c.Tool == "write_file" && isError:
		return text
	}
	return ""
}
