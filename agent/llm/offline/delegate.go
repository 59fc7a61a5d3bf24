package offline

import (
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// Bounds of questions that are answered by sub-agents.
const (
	minDelegated = 3
	maxDelegated = 8
)

// delegated answers several independent questions by a sub-agent each, which work at the same
// time. It is false where there are too few, or no such tool.
func (s *script) delegated(commands []grammar.Command) (done bool, err error) {
	if s.purpose != llm.PurposeTurn || len(commands) < minDelegated || len(commands) > maxDelegated {
		return false, nil
	}
	var list []planned
	for _, c := range commands {
		if !independent(c) {
			return false, nil
		}
		list = append(list, planned{delegate, args{"task": oneLine(c.Text)}})
	}
	if s.nextCall() && !s.again(delegate) || !s.nextCall() && !s.tools[delegate] {
		return false, nil
	}
	reports, err := s.calls(list)
	if err != nil {
		return false, err
	}
	for i, r := range reports {
		s.sayf("**%s**", clip(oneLine(commands[i].Text), 160))
		if r.failed || strings.TrimSpace(r.result) == "" {
			if err := ended(s.doOne(commands[i])); err != nil { // what the sub-agent could not, is done here
				return false, err
			}
			continue
		}
		s.foundf("%s", report(r.result))
	}
	return true, nil
}

// independent says whether a question can be answered without the others: it refers to nothing.
func independent(c grammar.Command) bool {
	switch c.Kind {
	case grammar.Tasks, grammar.Recent, grammar.Count, grammar.Links, grammar.Outline, grammar.Find:
	case grammar.Question:
		if len(retrieval.ContentWords(c.Topic)) == 0 {
			return false
		}
	default:
		return false
	}
	return !refersRE().MatchString(c.Text)
}

var refersRE = lazyregexp.New(`(?i)\b(?:it|its|that|this|these|those|they|them|their|he|she|him|her|his|there|then|same|one|ones|first|second|both)\b`)

// report is what a sub-agent found, as a paragraph of the answer.
func report(result string) string { return strings.TrimSpace(result) }
