package vault

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// benchVault creates a vault of 10,000 notes.
func benchVault(b *testing.B) *Vault {
	dir := b.TempDir()
	for folder := range 100 {
		parent := filepath.Join(dir, fmt.Sprintf("Folder %d", folder))
		mustTest(b, os.Mkdir(parent, 0o755))
		for note := range 100 {
			mustTest(b, os.WriteFile(filepath.Join(parent, fmt.Sprintf("Note %d.md", note)), []byte("text\n"), 0o644))
		}
	}
	return openTest(b, dir)
}

func BenchmarkRead(b *testing.B) {
	v := benchVault(b)
	for name, path := range map[string]string{"exact": "Folder 7/Note 42.md", "other case": "folder 7/note 42.md"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := v.Read(b.Context(), path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("not found", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.Read(b.Context(), "Folder 7/Note 4x2.md"); err == nil {
				b.Fatal("found")
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	v := benchVault(b)
	for b.Loop() {
		if _, err := v.Write(b.Context(), "Folder 7/Note 42.md", []byte("text\n"), ""); err != nil {
			b.Fatal(err)
		}
	}
}
