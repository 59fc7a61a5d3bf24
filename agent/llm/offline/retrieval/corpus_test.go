package retrieval_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
)

// folder is a corpus of the Markdown files below a directory.
type folder string

func (f folder) Notes(context.Context) iter.Seq2[retrieval.Note, error] {
	var templates struct{ Folder string }
	if data, err := os.ReadFile(filepath.Join(string(f), ".obsidian", "templates.json")); err == nil {
		_ = json.Unmarshal(data, &templates)
	}
	return func(yield func(retrieval.Note, error) bool) {
		err := filepath.WalkDir(string(f), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if p != string(f) && strings.HasPrefix(d.Name(), ".") {
					return filepath.SkipDir
				}
				return nil
			}
			if filepath.Ext(p) != ".md" || strings.HasPrefix(d.Name(), ".") {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(string(f), p)
			if err != nil {
				return err
			}
			if !yield(retrieval.Note{Path: filepath.ToSlash(rel), Size: info.Size(), Modified: info.ModTime(), Template: templates.Folder != "" && strings.HasPrefix(rel, templates.Folder+"/")}, nil) {
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(retrieval.Note{}, err)
		}
	}
}

func (f folder) Read(_ context.Context, p string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), filepath.FromSlash(p)))
}

func (f folder) Head(ctx context.Context, p string, max int) ([]byte, error) {
	text, err := f.Read(ctx, p)
	return text[:min(len(text), max)], err
}

func (folder) Folder(context.Context, string) string { return "" }

func (folder) Mark(context.Context) any { return nil }
