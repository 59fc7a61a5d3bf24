package offline

import (
	"fmt"
	"path"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// delete moves a note or folder to the trash. A folder with something in it is asked about first.
func (s *script) delete(c grammar.Command) {
	p := s.source(c, "delete")
	a, with := args{"path": p}, ""
	if !naming.IsNote(p) {
		r := s.call("list_files", args{"path": p, "pattern": "**", "max_results": maxBack})
		entries, more := toolresult.ListEntries(r.result)
		if n := len(entries) + more; n > 0 && !r.failed {
			examples := make([]string, 0, len(entries))
			for _, e := range entries[:min(len(entries), maxOptions)] {
				examples = append(examples, path.Base(e.Path))
			}
			if n > len(examples) {
				examples = append(examples, "…")
			}
			s.confirm(fmt.Sprintf("`%s/` is not empty: %s (%s). Move the folder with everything in it to the trash?", p, counted(n, "item"), strings.Join(examples, ", ")))
			a["recursive"] = true
			with = " with " + counted(n, "item") + " in it"
		}
	}
	s.changeOrSay("I could not delete "+named(p), "delete_file", a, fmt.Sprintf("Move %s%s to the trash", pointed(p), with))
	s.didf("Deleted %s (`%s`): it is in the trash, where you can restore it.", named(p), p)
}

// isTrash says whether a place to move to is the trash, not a folder called so.
func (s *script) isTrash(to string) bool {
	return trashRE().MatchString(to) && s.view.ResolveFolder(to).Score < naming.FitsExactly
}

var trashRE = lazyregexp.New(`(?i)^(?:the |my |obsidian'?s )?(?:\.?trash(?: ?can| bin)?|(?:recycle |waste |rubbish )?bin|recycling bin|garbage(?: can)?|rubbish)$`)
