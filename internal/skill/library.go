package skill

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"chatvault/internal/trust"
)

// maxUsed bounds how many skills an agent is told of, each with every message.
const maxUsed = 60

// Library are the skills of a vault, and those of the person's own.
type Library struct {
	Vault   *os.Root
	Private func(name string) bool
	Answers *trust.Answers
	Own     []string // folders of the person's own, as whole paths
}

// Brought are those that came with the vault, whether or not its owner agreed to them.
func (l *Library) Brought() []Skill { return In(l.Vault, InVault(), l.Private) }

// All are the skills as they are now; used are those that count: that can be used, and are the person's
// own or were agreed to. Of two of one name the vault's counts.
func (l *Library) All() (used, others []Skill) {
	sort := func(s Skill, counts bool) {
		if counts && len(used) == maxUsed {
			s.Why, counts = fmt.Sprintf("there are more than %d skills", maxUsed), false
		}
		if counts {
			used = append(used, s)
		} else {
			others = append(others, s)
		}
	}
	for _, s := range l.Brought() {
		f := s.File()
		sort(s, s.Why == "" && l.Answers.Agreed(f.Name, f.Data))
	}
	for _, dir := range l.Own {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		for _, s := range In(root, []string{"."}, nil) {
			s.Folder = filepath.Join(dir, path.Base(s.Folder))
			if i := slices.IndexFunc(used, func(o Skill) bool { return o.Name == s.Name }); i >= 0 && s.Why == "" {
				s.Why = used[i].Folder + " has the same name"
			}
			sort(s, s.Why == "")
		}
		_ = root.Close()
	}
	return used, others
}

// Used are the skills that count.
func (l *Library) Used() []Skill {
	used, _ := l.All()
	return used
}
