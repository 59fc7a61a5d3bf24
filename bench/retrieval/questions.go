package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// questionSet is a file in testdata/questions: paraphrased questions over one vault.
type questionSet struct {
	Vault     string     `json:"vault"`   // path relative to the repository; empty if Outside is set
	Outside   string     `json:"outside"` // name of a vault outside the repository
	About     string     `json:"about"`
	Questions []question `json:"questions"`
}

// name returns the name of the set in the table.
func (s questionSet) name() string {
	if s.Outside != "" {
		return s.Outside
	}
	return s.Vault
}

// question is a question, or a command that names no note, with the notes that answer it: the answer must
// cite at least one of them and change nothing.
type question struct {
	ID    string `json:"id"`
	Split string `json:"split"` // "dev" if the engine may be tuned on it, otherwise "heldout"
	Text  string `json:"question"`
	// Command is set for an imperative that does not name a note exactly.
	Command bool     `json:"command"`
	Expect  []string `json:"expect"` // paths relative to the vault; empty if only an unchanged vault is required
}

// note is a Markdown file of a vault.
type note struct {
	path, title, text string
}

// readSets reads all question sets of the repository at root, including those over vaults outside it.
func readSets(root string) ([]questionSet, error) {
	var sets []questionSet
	for _, folder := range []string{"", "outside"} {
		files, err := filepath.Glob(filepath.Join(root, "testdata", "questions", folder, "*.json"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("no question sets in %s; run this from bench/retrieval, or name the repository with -root", root)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			var set questionSet
			if err := json.Unmarshal(data, &set); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// readQuestions reads a file with questions over vaults outside the repository. It returns a set for each
// vault.
func readQuestions(file string) ([]questionSet, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all struct {
		Questions []struct {
			Vault    string   `json:"vault"`
			Question string   `json:"question"`
			Notes    []string `json:"notes"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var sets []questionSet
	for i, q := range all.Questions {
		at := slices.IndexFunc(sets, func(s questionSet) bool { return s.Outside == q.Vault })
		if at < 0 {
			at = len(sets)
			sets = append(sets, questionSet{Outside: q.Vault})
		}
		sets[at].Questions = append(sets[at].Questions, question{ID: fmt.Sprintf("%s-%d", q.Vault, i+1), Text: q.Question, Expect: q.Notes})
	}
	return sets, nil
}

// readNotes returns the Markdown files of a vault, except those in hidden folders.
func readNotes(vault string) ([]note, error) {
	var notes []note
	err := filepath.WalkDir(vault, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != vault:
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(vault, path)
		if err != nil {
			return err
		}
		notes = append(notes, note{filepath.ToSlash(rel), strings.TrimSuffix(d.Name(), ".md"), string(data)})
		return nil
	})
	return notes, err
}

// rank returns the index of the first expected note in ranked, or -1 if there is none.
func rank(ranked, expect []string) int {
	return slices.IndexFunc(ranked, func(path string) bool { return slices.Contains(expect, path) })
}
