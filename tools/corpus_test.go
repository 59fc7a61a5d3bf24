package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chatvault/internal/pathcorpus"
	"chatvault/vault"
)

// corpusCall is a call that a path of the corpus goes through.
type corpusCall struct {
	tool, args string
	ops        []string
	creates    bool // a name that nothing has is no error
}

// corpusCalls are the tools' calls that a path of the corpus goes through; %s is the
// path as JSON.
var corpusCalls = []corpusCall{
	{"read_file", `{"path": %s}`, []string{"read"}, false},
	{"write_file", `{"path": %s, "content": "written\n"}`, []string{"write"}, true},
	{"edit_file", `{"path": %s, "insert_after_line": 0, "content": "edited"}`, []string{"edit"}, false},
	{"get_file_info", `{"path": %s}`, []string{"info"}, false},
	{"list_files", `{"path": %s, "pattern": "**"}`, []string{"list"}, false},
	{"create_folder", `{"path": %s}`, []string{"create_folder"}, true},
	{"delete_file", `{"path": %s}`, []string{"delete"}, false},
	{"move_file", `{"source": %s, "destination": "moved.md"}`, []string{"move"}, false},
	{"move_file", `{"source": "source.md", "destination": %s}`, []string{"move"}, true},
	{"move_file", `{"source": "notes/sub", "destination": %s}`, []string{"move-dest"}, true},
	{"search_files", `{"pattern": "SECRET", "file_pattern": %s}`, []string{"search"}, true},
	{"append_file", `{"path": %s, "content": "appended"}`, []string{"edit"}, false},
	{"append_file", `{"path": %s, "content": "appended", "create": true}`, []string{"write"}, true},
	{"set_property", `{"path": %s, "key": "k", "value": "v"}`, []string{"edit"}, false},
	{"get_outline", `{"path": %s}`, []string{"read"}, false},
	{"get_properties", `{"path": %s}`, []string{"list"}, false},
	{"get_note_history", `{"path": %s}`, []string{"read"}, false},
	{"get_links", `{"path": %s}`, []string{"read"}, false},
	{"get_links", `{"path": %s, "mode": "unresolved"}`, []string{"list"}, false},
	{"get_tags", `{"path": %s}`, []string{"list"}, false},
	{"list_tasks", `{"path": %s, "state": "all"}`, []string{"list"}, false},
	{"list_tasks", `{"file_pattern": %s, "state": "all"}`, []string{"search"}, true},
}

// jsonPath writes a path as JSON, bytes that are not UTF-8 as they are.
func jsonPath(path string) string {
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

// TestPathCorpus sends every path of the corpus through every tool: nothing outside the
// vault or protected comes out or changes, and what must be refused is. Calls that only read
// share a vault.
func TestPathCorpus(t *testing.T) {
	ran := 0
	reads := make(map[string]bool)
	for _, d := range definitions() {
		reads[d.name] = d.readOnly
	}
	for i, row := range pathcorpus.Rows(t) {
		var readers []corpusCall
		for j, call := range corpusCalls {
			switch {
			case !row.For(call.ops...):
			case reads[call.tool]:
				ran++
				readers = append(readers, call)
			default:
				ran++
				t.Run(fmt.Sprintf("%d/%s %d", i, call.tool, j), func(t *testing.T) {
					t.Parallel()
					callCorpus(t, row, call)
				})
			}
		}
		t.Run(fmt.Sprintf("%d/reads", i), func(t *testing.T) {
			t.Parallel()
			callCorpus(t, row, readers...)
		})
	}
	if ran < 1100 {
		t.Errorf("only %d calls were made", ran)
	}
}

func callCorpus(t *testing.T, row pathcorpus.Row, calls ...corpusCall) {
	f := pathcorpus.Build(t, row)
	v, err := vault.Open(f.Vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	turn := NewRegistry(v, Options{}).Turn(nil)
	for _, call := range calls {
		args := fmt.Sprintf(call.args, jsonPath(row.Path))
		r := turn.Call(t.Context(), call.tool, []byte(args))
		f.Check(t)
		if strings.Contains(r.Text, pathcorpus.Secret) && !strings.HasPrefix(row.Path, "hard") {
			t.Errorf("%s: the secret came out: %s", row.Why, r.Text)
		}
		if r.IsError != strings.HasPrefix(r.Text, "Error: ") || len(r.Text) > 2000 {
			t.Errorf("IsError %v, %d bytes: %.300s", r.IsError, len(r.Text), r.Text)
		}
		switch {
		case strings.Contains(call.args, `"file_pattern": %s`): // its pattern is no path: only what comes out counts
		case slices.Contains(call.ops, "list") && row.Path == "": // no folder is the root
		case row.Path == "Notes/A.md": // one match ignoring case is used
		case row.Expect == pathcorpus.Deny && !r.IsError:
			t.Errorf("%s: %s %s was allowed: %s", row.Why, call.tool, args, r.Text)
		case row.Expect == pathcorpus.NotFound && !call.creates && !r.IsError:
			t.Errorf("%s: %s %s found something: %s", row.Why, call.tool, args, r.Text)
		case row.Expect == pathcorpus.NotFound && call.creates && r.IsError && r.Summary != "exists already":
			t.Errorf("%s: it is only a name, but %s", row.Why, r.Text)
		case row.Expect == pathcorpus.Allow && call.tool == "write_file" && r.IsError:
			t.Errorf("%s: %s", row.Why, r.Text)
		}
	}
}
