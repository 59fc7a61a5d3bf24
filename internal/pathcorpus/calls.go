package pathcorpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Call is a tool call with a path from the corpus as an argument.
type Call struct {
	Tool    string
	form    string   // format of the arguments; %s is the path as a JSON string
	ops     []string // the corpus's names for the operation
	creates bool     // the path may be missing
	Writes  bool     // the call changes files
	pattern bool     // the argument is not used as a path; only the output is checked
}

// Calls lists every argument of every tool that takes a path, or a text in which a model might pass one.
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
	{Tool: "move_section", form: `{"path": %s, "to": "moved.md"}`, ops: []string{"read", "write"}, Writes: true},
	{Tool: "move_section", form: `{"path": "source.md", "to": %s}`, ops: []string{"write"}, creates: true, Writes: true},
	{Tool: "move_file", form: `{"source": "notes/sub", "destination": %s}`, ops: []string{"move-dest"}, creates: true, Writes: true},
	{Tool: "search_files", form: `{"pattern": "SECRET", "file_pattern": %s}`, ops: []string{"search"}, pattern: true},
	{Tool: "append_file", form: `{"path": %s, "content": "appended"}`, ops: []string{"edit"}, Writes: true},
	{Tool: "append_file", form: `{"path": %s, "content": "appended", "create": true}`, ops: []string{"write"}, creates: true, Writes: true},
	{Tool: "set_property", form: `{"path": %s, "key": "k", "value": "v"}`, ops: []string{"edit"}, Writes: true},
	{Tool: "set_property", form: `{"where": {"path": %s}, "key": "k", "value": "v"}`, ops: []string{"list"}, Writes: true},
	{Tool: "edit_file", form: `{"where": {"file_pattern": %s}, "old_text": "SECRET", "new_text": "found"}`, ops: []string{"search"}, pattern: true, Writes: true},
	{Tool: "rename_tag", form: `{"tag": "secret", "to": "found", "path": %s}`, ops: []string{"list"}, Writes: true},
	{Tool: "get_outline", form: `{"path": %s}`, ops: []string{"read"}},
	{Tool: "get_properties", form: `{"path": %s}`, ops: []string{"list"}},
	{Tool: "get_links", form: `{"path": %s}`, ops: []string{"read"}},
	{Tool: "get_links", form: `{"path": %s, "mode": "unresolved"}`, ops: []string{"list"}},
	{Tool: "find_notes", form: `{"query": "secret", "path": %s}`, ops: []string{"list"}},
	{Tool: "get_tags", form: `{"path": %s}`, ops: []string{"list"}},
	{Tool: "list_tasks", form: `{"path": %s, "state": "all"}`, ops: []string{"list"}},
	{Tool: "list_tasks", form: `{"file_pattern": %s, "state": "all"}`, ops: []string{"search"}, pattern: true},
	{Tool: "daily_note", form: `{"action": "append", "content": "x", "date": %s}`, ops: []string{"write"}, pattern: true, Writes: true},
	{Tool: "get_conversation", form: `{"conversation_id": %s}`, ops: []string{"read"}, pattern: true},
}

// NoPath lists the tools that take no path. Each new tool must be added to NoPath or Calls.
var NoPath = []string{"ask_user", "delegate", "end_conversation", "get_active_note", "send_message", "task_list", "use_skill"}

// Covers reports whether a tool is listed in Calls or NoPath.
func Covers(tool string) bool {
	return slices.Contains(NoPath, tool) || slices.ContainsFunc(Calls, func(c Call) bool { return c.Tool == tool })
}

// For reports whether a row of the corpus applies to the call.
func (c Call) For(r Row) bool { return r.For(c.ops...) }

// Args returns the arguments of the call as JSON, with the path of the row. Invalid UTF-8 in the path is
// copied unchanged.
func (c Call) Args(r Row) string { return fmt.Sprintf(c.form, quote(r.Path)) }

// quote returns a path as a JSON string. Unlike json.Marshal, it keeps invalid UTF-8 unchanged.
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

// Judge returns a description of what is wrong with the result of a call, empty if it is correct. text and
// isError are the result. exists reports that the call was refused because the file already exists.
func (c Call) Judge(r Row, text string, isError, exists bool) string {
	const most = 2000 // bytes
	switch {
	case strings.Contains(text, Secret) && !strings.HasPrefix(r.Path, "hard"):
		return "the secret came out: " + text
	case isError != strings.HasPrefix(text, "Error: ") || len(text) > most:
		return fmt.Sprintf("is error: %v, %d bytes: %.300s", isError, len(text), text)
	case c.pattern:
	case slices.Contains(c.ops, "list") && r.Path == "": // an empty folder means the root
	case r.Path == "Notes/A.md": // tools accept a single match that differs in case
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
