package grammar

import "strings"

var (
	// changeVerb begins a sentence that asks for a change of the notes.
	changeVerb = pattern(`^(?:add|append|insert|prepend|delete|remove|erase|rename|retitle|replace|swap|substitute|merge|combine|duplicate|copy|split|sort|reorder|translate|rewrite|rephrase|fix|format|reformat|convert|export|import|email|mail|send|print|publish|untag|tag|pin|tick|untick|uncheck|create|make|move|put|insert|clear|empty|wipe|overwrite|edit|update|modify|correct|encrypt|share|upload|sync|schedule|remind)\b\s+(\S+)`)
	// bareVerb is nothing but such a verb.
	bareVerb = pattern(`^(?:add|append|insert|delete|remove|erase|rename|replace|create|make|move|change|edit|update|write|put)[\s.!?]*$`)
	// notAfterVerb follows the verbs above where they are the name of a thing: "copy editing", "change of address".
	notAfterVerb = set(`of is are was were for about and or vs plan plans list ideas idea notes note`)
)

// unclear says whether a clause that no family understood asks for a change all the same, so
// that it must not be taken for a question.
func unclear(s string) bool {
	if bareVerb.MatchString(s) {
		return true
	}
	m := submatches(changeVerb, s)
	if m == nil || strings.HasSuffix(strings.TrimSpace(s), "?") {
		return false
	}
	next := strings.ToLower(strings.Trim(m[1], trailingDots+`"'“”`))
	return !notAfterVerb[next]
}
