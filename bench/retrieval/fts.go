package main

import (
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver, with FTS5
)

// fts ranks notes by SQLite's full-text search over stemmed titles and texts.
type fts struct {
	db          *sql.DB
	titleWeight float64
}

// newFTS returns an in-memory index of the notes. The caller must close it.
func newFTS(notes []note, titleWeight float64) (*fts, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection to :memory: opens a separate database
	f := &fts{db: db, titleWeight: titleWeight}
	if _, err := db.Exec(`create virtual table notes using fts5(path unindexed, title, text, tokenize = 'porter unicode61')`); err != nil {
		return nil, fmt.Errorf("fts5: %w", err)
	}
	for _, n := range notes {
		if _, err := db.Exec(`insert into notes values (?, ?, ?)`, n.path, n.title, n.text); err != nil {
			return nil, fmt.Errorf("fts5: %w", err)
		}
	}
	return f, nil
}

// search returns the paths of the ten best notes for a question, best first.
func (f *fts) search(text string) ([]string, error) {
	match := matchExpression(text)
	if match == "" {
		return nil, nil
	}
	rows, err := f.db.Query(`select path from notes where notes match ? order by bm25(notes, 0, ?, 1) limit 10`, match, f.titleWeight)
	if err != nil {
		return nil, fmt.Errorf("fts5: %q: %w", match, err)
	}
	defer func() { _ = rows.Close() }()
	var paths []string
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, rows.Err()
}

func (f *fts) close() error { return f.db.Close() }

// matchExpression returns an FTS5 expression for any of a question's words. It omits stop words, unless the
// question has no other words.
func matchExpression(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	var terms, all []string
	for _, w := range words {
		quoted := `"` + w + `"`
		all = append(all, quoted)
		if !stopWords[w] {
			terms = append(terms, quoted)
		}
	}
	if len(terms) == 0 {
		terms = all
	}
	return strings.Join(terms, " OR ")
}

// stopWords are English words that do not identify the subject of a question.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a about after again all am an and any are as at be because been before being
		but by can could d did do does doing done for from get give had has have he her here hers him his how i if in
		into is it its itself know ll m many me mine more most much must my no nor not of off on one or our out over own re s same she
		should so some something such t tell than that the their them then there these they this those through to too up us
		ve very was we were what when where which while who whom whose why will with would you your`) {
		set[w] = true
	}
	return set
}()
