package pathname

import (
	"slices"
	"testing"
)

func TestConflictOf(t *testing.T) {
	for name, want := range map[string]string{
		"Plan (Ana's conflicted copy 2026-11-02).md":               "Plan.md", // Dropbox
		"Plan (Ana's conflicted copy 2026-11-02) (1).md":           "Plan.md",
		"Plan (conflicted copy).md":                                "Plan.md",
		"Plan (Ana (Work)'s conflicted copy 2026-11-02).md":        "Plan.md",
		"Plan (Q3) (Ana's conflicted copy 2026-11-02).md":          "Plan (Q3).md",
		"v1.2 (Ana's conflicted copy 2026-11-02)":                  "v1.2",
		"Plan (Case Conflict).md":                                  "Plan.md",
		"Plan (Unicode Encoding Conflict 1).md":                    "Plan.md",
		"Plan (In Konflikt stehende Kopie von Ana).md":             "Plan.md",
		"Plan (Copie en conflit de Ana 2026-11-02).md":             "Plan.md",
		"Plan (Copia en conflicto de Ana 2026-11-02).md":           "Plan.md",
		"Plan (Copia in conflitto di Ana 2026-11-02).md":           "Plan.md",
		"Plan (Cópia em conflito de Ana 2026-11-02).md":            "Plan.md",
		"Plan (Conflicterende kopie van Ana 2026-11-02).md":        "Plan.md",
		"Plan (Anas konfliktkopia 2026-11-02).md":                  "Plan.md",
		"Plan (конфликтующая копия с ПК 2026-11-02).md":            "Plan.md",
		"Plan (Ana の競合コピー 2026-11-02).md":                          "Plan.md",
		"Plan (Ana 的冲突副本 2026-11-02).md":                           "Plan.md",
		"Plan (Ana의 충돌된 사본 2026-11-02).md":                         "Plan.md",
		"Plan (conflicted copy 2026-11-02 101500).md":              "Plan.md", // Nextcloud
		"Plan_conflict-20261102-101500.md":                         "Plan.md", // ownCloud
		"Plan (Conflicted copy MacBook 202611021015).md":           "Plan.md", // Obsidian Sync
		"Plan.sync-conflict-20261102-101500-ABCDEFG.md":            "Plan.md", // Syncthing
		"Plan.sync-conflict-20261102-101500.canvas":                "Plan.canvas",
		"Plan.Conflict.md":                                         "Plan.md", // Resilio Sync
		"Plan.conflict2.md":                                        "Plan.md", // rclone
		"Plan [conflicted].md":                                     "Plan.md", // pCloud
		"Plan[Conflict].md":                                        "Plan.md", // Google Drive
		"Plan_conf(1).md":                                          "Plan.md",
		"Plan (SFConflict ana@example.org 2026-11-02-10-15-00).md": "Plan.md", // Seafile
		"Plan_DiskStation_Nov-02-101500-2026_Conflict.md":          "Plan.md", // Synology Drive
		"Plan-laptop-safeBackup-0001.md":                           "Plan.md", // OneDrive on Linux
	} {
		if got, sure := ConflictOf(name); !slices.Contains(got, want) || !sure {
			t.Errorf("%q: %q %v", name, got, sure)
		}
	}
	for name, want := range map[string]string{
		"Plan 2.md": "Plan.md", "Plan (1).md": "Plan.md", "Plan(1).md": "Plan.md", "Plan-DESKTOP-4F2A.md": "Plan.md", "my-plan-PC.md": "my-plan.md", "Plan (conflict).md": "Plan.md", "Talk (conflict 2026-11-02).md": "Talk.md",
	} {
		if got, sure := ConflictOf(name); !slices.Contains(got, want) || sure {
			t.Errorf("%q: %q %v", name, got, sure)
		}
	}
	for _, name := range []string{"Plan.md", "Conflict.md", "Conflict resolution.md", "Conflicted copy.md", "Meeting (conflict with the board).md", "War (conflicts and copies).md", "A (copy).md", "(1).md", " 2.md", "Plan 2026.md", "-.md", ".conflict.md"} {
		if got, _ := ConflictOf(name); len(got) > 0 {
			t.Errorf("%q: %q", name, got)
		}
	}
}
