package grammar

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"chatvault/agent/llm/offline/retrieval"
)

// closing is the end of each opening quotation mark.
var closing = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '‘': '’', '`': '`', '\'': '\''}

// mask replaces what stands in quotation marks or double brackets by NUL bytes, so that
// patterns see the structure of a sentence only. It keeps every byte's place.
func mask(s string) string {
	b := []byte(s)
	unclosed := map[rune]bool{} // marks that nothing closes from here on
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		end := -1
		if strings.HasPrefix(s[i:], "[[") && !unclosed['['] {
			if n := strings.Index(s[i:], "]]"); n > 0 {
				end = i + n + 2
			} else {
				unclosed['['] = true
			}
		} else if c, ok := closing[r]; ok && !unclosed[c] && (i == 0 || !retrieval.IsLetter(s[i-1])) {
			if n := closeQuote(s[i+size:], c); n > 0 {
				end = i + size + n
			} else {
				unclosed[c] = true
			}
		}
		if end < 0 {
			i += size
			continue
		}
		for k := i; k < end; k++ {
			b[k] = 0
		}
		i = end
	}
	return string(b)
}

// closeQuote returns the length up to and including the closing mark, 0 where there is none.
// An apostrophe inside a word closes nothing.
func closeQuote(s string, c rune) int {
	for i, r := range s {
		if r != c {
			continue
		}
		after := i + utf8.RuneLen(c)
		if (c == '\'' || c == '’') && after < len(s) && retrieval.IsLetter(s[after]) {
			continue
		}
		return after
	}
	return 0
}

// quoted returns the inside of s where the whole of it is quoted or a wikilink.
func quoted(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "[[") && strings.HasSuffix(s, "]]") && strings.Count(s, "[[") == 1 {
		inside, _, _ := strings.Cut(s[2:len(s)-2], "|")
		inside, _, _ = strings.Cut(inside, "#")
		return strings.TrimSpace(inside), inside != ""
	}
	r, size := utf8.DecodeRuneInString(s)
	c, ok := closing[r]
	if !ok || len(s) <= size {
		return s, false
	}
	if n := closeQuote(s[size:], c); n > 0 && size+n == len(s) {
		return strings.TrimSpace(s[size : len(s)-utf8.RuneLen(c)]), true
	}
	return s, false
}

var (
	leadingWords  = pattern(`^(?:(?:the|my|our|this|that|a|an)\s+)?(?:<NOTE>\s+(?:(?:called|named|titled|with the title)\s+)?)?`)
	trailingWords = pattern(`\s+(?:note|file|page|doc|document)$`)
	trailingDots  = " \t\r\n.,;:!?"
)

var (
	// pronoun is a name that means the last note spoken of.
	pronoun    = pattern(`^(?:it|them|there|(?:that|this)(?: (?:one|note|file|page))?|the (?:note|file|page|same|(?:new|same|last) (?:one|note))|same note)$`)
	thatFolder = pattern(`^(?:that|this|the|the new) folder$`)
)

// IsPronoun says whether a name stands for what was last spoken of.
func IsPronoun(name string) bool {
	name = strings.TrimSpace(name)
	return pronoun().MatchString(name) || thatFolder().MatchString(name)
}

// It is the name that stands for the last note spoken of.
const It = "it"

// NoteName is the name of a note without the words around it: "the Lisbon note" is Lisbon.
func NoteName(s string) string {
	s = strings.TrimSpace(s)
	if q, ok := quoted(strings.TrimRight(s, trailingDots)); ok {
		return q
	}
	s = trimEnd(s)
	if pronoun().MatchString(s) {
		return It
	}
	t := trailingWords().ReplaceAllString(s, "")
	if rest := leadingWords().ReplaceAllString(t, ""); strings.TrimSpace(rest) != "" {
		t = rest
	}
	if q, ok := quoted(t); ok {
		return q
	}
	return strings.TrimSpace(t)
}

var folderWords = pattern(`(?:^(?:(?:the|my|our|a|an)\s+)?(?:<FOLDER>\s+(?:called\s+|named\s+)?)?)|(?:\s+<FOLDER>$)`)

// folderName is the name of a folder without the words around it.
func folderName(s string) string {
	s = trimEnd(s)
	if q, ok := quoted(s); ok {
		return strings.Trim(q, "/")
	}
	t := strings.TrimSpace(folderWords().ReplaceAllString(s, ""))
	if q, ok := quoted(t); ok {
		t = q
	}
	return strings.Trim(t, "/ ")
}

var saysFolder = pattern(`\b<FOLDER>\b`)

// trimEnd drops white space around s and punctuation after it.
func trimEnd(s string) string { return strings.TrimRight(strings.TrimSpace(s), trailingDots) }

// literal is a piece of text to write or to look for: unquoted where it was quoted.
func literal(s string) string {
	s = strings.TrimSpace(s)
	if q, ok := quoted(strings.TrimRight(s, ".!")); ok {
		return q
	}
	return s
}

// submatches applies the first expression that fits to the masked text and returns the groups of the
// text itself.
func submatches(s string, forms ...expression) []string {
	masked := mask(s)
	for _, re := range forms {
		if at := re().FindStringSubmatchIndex(masked); at != nil {
			return groups(s, at)
		}
	}
	return nil
}

// expression gives a regular expression, compiled when it is first called for.
type expression = func() *regexp.Regexp

// pattern is the case-ignoring expression of s, with these words filled in: <NOTE> a word for a note,
// <FOLDER> a word for a folder. Inlined, it would make the program 130 kB larger.
//
//go:noinline
func pattern(s string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)` + patternWords.Replace(s)) })
}

var patternWords = strings.NewReplacer(
	"<NOTE>", `(?:notes?|files?|pages?|docs?|documents?)`,
	"<FOLDER>", `(?:folder|directory|dir)`,
)
