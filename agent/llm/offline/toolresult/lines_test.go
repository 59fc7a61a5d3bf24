package toolresult

import (
	"reflect"
	"testing"
)

func TestFileLines(t *testing.T) {
	for _, c := range []struct {
		name, result string
		lines        []Numbered
		total        int
		rest         bool
	}{
		{"whole", "1: # Plan\n2:\n3: a: b\n", []Numbered{{1, "# Plan"}, {2, ""}, {3, "a: b"}}, 3, false},
		{"a part", "4: x\n[Showing lines 4-4 of 9 total]", []Numbered{{4, "x"}}, 9, true},
		{"its end", "9: x\n[Showing lines 9-9 of 9 total]", []Numbered{{9, "x"}}, 9, false},
		{"cut off", "1: x\n\n[... truncated, showing lines 1-1, total lines in file: 500; continue with start_line=2]", []Numbered{{1, "x"}}, 500, true},
		{"empty", "(The file is empty.)", nil, 0, false},
		{"what no line is", "1: x\n7: y\n", []Numbered{{1, "x"}}, 1, false},
	} {
		lines, total, rest := FileLines(c.result)
		if !reflect.DeepEqual(lines, c.lines) || total != c.total || rest != c.rest {
			t.Errorf("%s: %v of %d, rest %v", c.name, lines, total, rest)
		}
	}
	if got := JoinLines([]Numbered{{3, "a"}, {4, ""}}); got != "a\n\n" {
		t.Errorf("joined: %q", got)
	}
}

func TestLineHits(t *testing.T) {
	files, more := LineHits("2 matching lines in 2 files:\n\n## a.md\nLine 3: one\nLine 5: > two\n[4 more matching lines in this file]\n## b.md\nLine 1: three\n[1,200 more files matched; narrow it]")
	want := []Found{{Path: "a.md", Hits: []Numbered{{3, "one"}, {5, "two"}}, More: true}, {Path: "b.md", Hits: []Numbered{{1, "three"}}}}
	if !reflect.DeepEqual(files, want) || !more {
		t.Errorf("%+v, more: %v", files, more)
	}
}

func TestTaskHits(t *testing.T) {
	const result = "## a.md\nLine 1: [x] done (under \"Today\")\nLine 2: [-] dropped\n"
	if files, _ := TaskHits(result, true); !reflect.DeepEqual(files, []Found{{Path: "a.md", Hits: []Numbered{{1, "- [x] done"}}}}) {
		t.Errorf("done: %+v", files)
	}
	if files, _ := TaskHits(result, false); len(files) != 1 || len(files[0].Hits) != 2 {
		t.Errorf("all: %+v", files)
	}
}

func TestListEntries(t *testing.T) {
	entries, more := ListEntries("[folder] Projects/\n[file] a (b).md (modified: Nov 21, 2026)\n[1,024 more items matched; raise max_results]")
	if !reflect.DeepEqual(entries, []ListedFile{{Path: "Projects", Folder: true}, {Path: "a (b).md"}}) || more != 1024 {
		t.Errorf("%+v, %d more", entries, more)
	}
}

func TestReason(t *testing.T) {
	for result, want := range map[string]string{
		"Error: File not found: a.md":                                            "File not found: a.md",
		"Error: It is private; the user hides it from you. Continue without it.": "It is private, so I may not see it.",
		"Error: No.\n\n[The limit of calls is near.]":                            "No.",
	} {
		if got := Reason(result); got != want {
			t.Errorf("%q becomes %q", result, got)
		}
	}
}
