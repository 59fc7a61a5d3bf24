package goal

import (
	"fmt"
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

// ParseVerdict reads the answer of a check: MET, NOT MET or UNKNOWN and why, on a line of its own among any others. An
// answer with several different verdicts, or none, counts as unknown.
func ParseVerdict(s string) Verdict {
	found, said := Verdict{Unknown: true}, ""
	for line := range strings.Lines(s) {
		m := verdictLine().FindStringSubmatch(text.Unmarked(line))
		if m == nil || strings.HasPrefix(m[3], "if ") {
			continue
		}
		head := strings.ToLower(m[1] + m[2])
		v := Verdict{Met: head == "met", Unknown: head == "unknown" || head == "cannot judge", Why: text.Excerpt(m[3], maxWhy)}
		switch {
		case said == "":
			found, said = v, head
		case v.Met != found.Met || v.Unknown != found.Unknown:
			return Verdict{Unknown: true}
		}
	}
	return found
}
