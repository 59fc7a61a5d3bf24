package goal

import (
	"fmt"
	"strconv"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// maxChanges is the maximum number of changes in the input of a check; the newest are kept.
const maxChanges = 60

// CheckInput returns the input of a check: the goal, a transcript of the newest turns, and the changes so far.
func (g Run) CheckInput(transcript string) string {
	changes := "Nothing was changed."
	if len(g.changes) > 0 {
		changes = "Changed since the goal was set or resumed:\n- " + strings.Join(g.changes, "\n- ")
	}
	return fmt.Sprintf("Goal:\n%s\n\nTurns that worked toward it so far: %d.\n\n<conversation>\n%s\n</conversation>\n\n%s",
		text.Quoted(g.Text), g.Turns, transcript, changes)
}

// verdictLine matches a line that begins with a verdict: in capitals, or followed by a mark or nothing, so that no
// sentence is taken for one.
var verdictLine = lazyregexp.New(`^(?i:(?:the )?(?:final )?(?:goal )?(?:verdict|answer|result|status|goal)(?::| is:?) *)?` +
	`(?:(NOT MET|NOT_MET|UNMET|MET|UNKNOWN)(?: |$|[:.,;!–—-])|(?i:(not yet met|not met|met|unknown|cannot judge))(?:$|[:.,;!–—-]| [–—-]))[ :.,;!–—-]*(.*)$`)

// countOf matches how much of the goal is met: "3 of 5 recipes".
var countOf = lazyregexp.New(`^(\d+) *(?:/|of|out of) *(\d+)\b`)

// ParseVerdict reads the answer of a check: MET, NOT MET or UNKNOWN and why, on a line of its own among any others. An
// answer with several different verdicts, or none, is not clear.
func ParseVerdict(s string) Verdict {
	var found Verdict
	for line := range strings.Lines(s) {
		line = text.Unmarked(line)
		m := verdictLine().FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[3], "if ") {
			continue
		}
		head := strings.ToLower(m[1] + m[2])
		v := Verdict{Clear: true, Met: head == "met", Unknown: head == "unknown" || head == "cannot judge", Why: m[3]}
		if n := countOf().FindStringSubmatch(v.Why); v.Met && n != nil {
			some, err := strconv.Atoi(n[1])
			all, err2 := strconv.Atoi(n[2])
			if err == nil && err2 == nil && some < all {
				v.Met, v.Why = false, line
			}
		}
		if found.Clear && (v.Met != found.Met || v.Unknown != found.Unknown) {
			return Verdict{}
		}
		if !found.Clear {
			found = v
		}
	}
	found.Why = text.Excerpt(found.Why, maxWhy)
	return found
}
