package text

import "testing"

func TestNearTools(t *testing.T) {
	tools := []string{"create_folder", "delete_file", "edit_file", "read_file", "search_files", "write_file"}
	for name, want := range map[string]string{
		"readfile": "read_file", "Read-File": "read_file", "raed_file": "read_file", "search_file": "search_files", "search": "search_files",
		"read": "read_file", "bash": "", "": "", "...": "",
	} {
		if got := Near(name, tools); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
