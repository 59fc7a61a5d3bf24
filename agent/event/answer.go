package event

import (
	"slices"
	"strconv"
	"strings"
)

// PlainAnswer is a short answer as answers are compared: without regard to case, spaces and the
// full stop at the end.
func PlainAnswer(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return strings.TrimRight(text, ".!")
}

// ChosenOption says which option, counted from 0, an answer picks: by its number or by its text. An
// answer that is the number of one and the text of another means the number, as it is shown.
func ChosenOption(answer string, options []string) (int, bool) {
	answer = PlainAnswer(answer)
	if answer == "" {
		return 0, false
	}
	number := strings.TrimPrefix(answer, "option ")
	number = strings.TrimSuffix(strings.TrimPrefix(number, "("), ")")
	if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(options) && number[0] != '+' {
		return n - 1, true
	}
	for i, o := range options {
		if PlainAnswer(o) == answer {
			return i, true
		}
	}
	return 0, false
}

// NoOption says whether an answer to a question with options is a bare number that picks none of
// them. Where an option is a number itself, another one may be meant as an answer in other words.
func NoOption(answer string, options []string) bool {
	number := func(s string) bool { _, err := strconv.Atoi(PlainAnswer(s)); return err == nil }
	if _, ok := ChosenOption(answer, options); ok || len(options) == 0 || slices.ContainsFunc(options, number) {
		return false
	}
	return number(answer)
}
