package selection

import (
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
)

// codeSeen is the code that was found in an item of a size.
type codeSeen struct {
	item list.Item
	size int
	code []markdown.Code
}

// Code are the blocks of code of the selected item, looked for once.
func (s *Selection) Code() []markdown.Code {
	size := 0
	if it, ok := s.item.(interface{ Size() int }); ok {
		size = it.Size()
	}
	if c := &s.seen; c.item != s.item || c.size != size {
		*c = codeSeen{s.item, size, codeOf(s.item)}
	}
	return s.seen.code
}

func codeOf(it list.Item) []markdown.Code {
	switch it.(type) {
	case *chat.User, *chat.Assistant, *chat.Message, *chat.Retrospection:
		text, _ := it.(chat.Sourced).Raw()
		return markdown.CodeBlocks(text)
	}
	return nil
}

// TakeCode takes the block of code at a place, from 0; -1: the one after that which was taken last of
// this item, round the end, or the first.
func (s *Selection) TakeCode(at int) (code markdown.Code, taken int) {
	all := s.Code()
	if at < 0 {
		at = 0
		if s.took.item == s.item {
			at = (s.took.at + 1) % len(all)
		}
	}
	s.took.item, s.took.at = s.item, at
	return all[at], at
}

// Source is what the selected item was made of, and what it is called.
func (s *Selection) Source() (text, called string) {
	text, whole := chat.Source(s.item, s.list.Width())
	called = name(s.item)
	if !whole {
		called = "the beginning of " + called
	}
	return text, called
}

// name names an item in words.
func name(it list.Item) string {
	switch it.(type) {
	case *chat.User:
		return "your message"
	case *chat.Assistant:
		return "the answer"
	case *chat.Message:
		return "what the agent said"
	case *chat.Tool:
		return "the tool's result"
	case *chat.Reasoning:
		return "the reasoning"
	case *chat.Retrospection:
		return "the review"
	case *chat.Compaction, *chat.Boundary, *chat.Continued:
		return "the summary"
	case *chat.Tasks:
		return "the steps"
	case *chat.Error:
		return "the error"
	}
	return "this"
}
