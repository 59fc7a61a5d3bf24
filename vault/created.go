package vault

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"chatvault/vault/block"
)

// maxFrontMatter bounds what is looked at for a date, in bytes.
const maxFrontMatter = 32 << 10

// createdKeys are the front matter keys that say when a note was made, best first, in
// lower case.
var createdKeys = []string{"created", "date created", "date_created", "created_at", "created-at", "creation date", "creation_date", "createdat", "date"}

// createdDate is the date in the front matter at the head of a note, zero when there is
// none that can be read.
func createdDate(head []byte) time.Time {
	start, end, _ := block.FrontMatter(head)
	best, found := len(createdKeys), time.Time{}
	for line := range bytes.Lines(head[start:end]) {
		key, _, ok := strings.Cut(string(line), ":")
		if !ok || strings.TrimLeft(key, " \t-") != key {
			continue // nested, or in a list
		}
		key = strings.ToLower(strings.Trim(strings.TrimSpace(key), `"'`))
		for i, known := range createdKeys {
			if i < best && key == known {
				if when := dateOf(line); !when.IsZero() {
					best, found = i, when
				}
			}
		}
	}
	return found
}

// dateOf reads the date of one "key: value" line. Only that line is given to the YAML
// parser: a note is not trusted, and aliases can make a small block very large.
func dateOf(line []byte) (when time.Time) {
	defer func() {
		if recover() != nil { // what the parser cannot take is no date
			when = time.Time{}
		}
	}()
	var values map[string]any
	if yaml.Unmarshal(line, &values) != nil {
		return time.Time{}
	}
	for _, value := range values {
		switch value := value.(type) {
		case time.Time:
			return value.Local()
		case string:
			return parseDate(value)
		case uint64:
			return parseDate(strconv.FormatUint(value, 10))
		}
	}
	return time.Time{}
}

// dateLayouts are the forms in which people write dates; those without a zone are local.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"2006/01/02 15:04:05", "2006/01/02 15:04", "2006/01/02", "02.01.2006 15:04", "02.01.2006",
	"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006",
	"20060102150405", "200601021504", "20060102",
}

func parseDate(text string) time.Time {
	text = strings.Trim(strings.TrimSpace(text), "[]") // a link to a daily note
	for _, layout := range dateLayouts {
		if when, err := time.ParseInLocation(layout, text, time.Local); err == nil && when.Year() > 0 {
			return when.Local()
		}
	}
	return time.Time{}
}
