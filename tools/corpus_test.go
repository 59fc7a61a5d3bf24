package tools

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"chatvault/internal/pathcorpus"
	"chatvault/vault"
)

// corpusCalls are the tools' calls that a path of the corpus goes through; %s is the
// path as JSON.
var corpusCalls = []struct {
	tool, args string
	ops        []string
	creates    bool // a name that nothing has is no error
}{
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
// vault or protected comes out or changes, and what must be refused is.
func TestPathCorpus(t *testing.T) {
	ran := 0
	for i, row := range pathcorpus.Rows(t) {
		for j, call := range corpusCalls {
			if !row.For(call.ops...) {
				continue
			}
			ran++
			t.Run(fmt.Sprintf("%d/%s %d", i, call.tool, j), func(t *testing.T) {
				t.Parallel()
				f := pathcorpus.Build(t, row)
				v, err := vault.Open(f.Vault)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = v.Close() }()
				args := fmt.Sprintf(call.args, jsonPath(row.Path))
				r := NewRegistry(v, Options{}).Turn(nil).Call(t.Context(), call.tool, []byte(args))
				f.Check(t)
				if strings.Contains(r.Text, pathcorpus.Secret) && !strings.HasPrefix(row.Path, "hard") {
					t.Errorf("%s: the secret came out: %s", row.Why, r.Text)
				}
				if r.IsError != strings.HasPrefix(r.Text, "Error: ") || len(r.Text) > 2000 {
					t.Errorf("IsError %v, %d bytes: %.300s", r.IsError, len(r.Text), r.Text)
				}
				switch {
				case call.tool == "search_files":
					return // its pattern is no path: only what comes out counts
				case call.tool == "list_files" && row.Path == "":
					return // no folder is the root
				case row.Path == "Notes/A.md":
					return // one match ignoring case is used
				case row.Expect == pathcorpus.Deny && !r.IsError:
					t.Errorf("%s: %s %s was allowed: %s", row.Why, call.tool, args, r.Text)
				case row.Expect == pathcorpus.NotFound && !call.creates && !r.IsError:
					t.Errorf("%s: %s %s found something: %s", row.Why, call.tool, args, r.Text)
				case row.Expect == pathcorpus.NotFound && call.creates && r.IsError && r.Summary != "exists already":
					t.Errorf("%s: it is only a name, but %s", row.Why, r.Text)
				case row.Expect == pathcorpus.Allow && call.tool == "write_file" && r.IsError:
					t.Errorf("%s: %s", row.Why, r.Text)
				}
			})
		}
	}
	if ran < 700 {
		t.Errorf("only %d calls were made", ran)
	}
}
