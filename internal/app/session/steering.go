package session

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"chatvault/agent/prompts"
	"chatvault/internal/app/config"
	"chatvault/internal/base/text"
	"chatvault/internal/base/trust"
	"chatvault/tools/skill"
)

// steering is the owner's instructions in AGENTS.md or CLAUDE.md, and skills. They need the owner's consent to their
// content and apply from the next message on, until they change.
type steering struct {
	skill.Library

	mu   sync.Mutex
	told map[string]bool // names and contents of files of which the user knows that they are not used
}

// Skills returns the skills of a vault, given by its folder, and the user's own that do not lie in the vault.
func Skills(cfg *config.Config, vault *os.Root, answers *trust.Answers) skill.Library {
	own := slices.DeleteFunc(config.SkillFolders(), func(folder string) bool { return config.Inside(folder, vault.Name()) })
	return skill.Library{Vault: vault, Private: privateIn(cfg), Answers: answers, Own: own}
}

// instructions returns the owner's instructions and their file, or "" if none apply.
func (s *steering) instructions() (name, text string) {
	s.Answers.Refresh() // another process may have asked for consent
	f, there := trust.Instructions(s.Vault, s.Private)
	if !there || f.Why != "" || !s.Answers.Agreed(f.Name, f.Data) {
		return "", ""
	}
	return f.Name, strings.TrimSpace(string(f.Data))
}

// fill sets the steering variables of a prompt.
func (s *steering) fill(v *prompts.Vars) {
	v.InstructionsFile, v.Instructions = s.instructions()
	v.Skills = nil
	for _, u := range s.Used() {
		v.Skills = append(v.Skills, prompts.Skill{Name: u.Name, About: u.Description})
	}
}

func unusable(f trust.File) string {
	return f.Name + " cannot be used as instructions: " + f.Why + "."
}

// unusedNotice returns, before a turn, a notice about unused files that the user does not know yet.
func (s *steering) unusedNotice() string {
	s.Answers.Refresh()
	var all []trust.File
	if f, there := trust.Instructions(s.Vault, s.Private); there {
		all = append(all, f)
	}
	for _, b := range s.Brought() {
		all = append(all, b.File())
	}
	untold := s.unreported(all)
	if s.Answers.Off() != nil || len(untold) == 0 {
		return ""
	}
	if f := untold[0]; f.Why != "" {
		return unusable(f)
	}
	return FileNames(untold) + " changed; what is there now is not used until you agree: /trust or chatvault trust shows it."
}

// unreported returns the instructions and skills among the files that are unused and not reported yet. Faults of skills
// are reported on request.
func (s *steering) unreported(all []trust.File) (untold []trust.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range all {
		folder := path.Dir(f.Name)
		if isSkill := slices.Contains(skill.InVault(), folder); folder != "." && (!isSkill || f.Why != "") {
			continue
		}
		if key := f.Name + "\n" + f.Why + string(f.Data); !s.told[key] && !s.Answers.Asked(f.Name, f.Data) {
			s.told[key] = true
			untold = append(untold, f)
		}
	}
	return untold
}

// Skills describes the skills.
func (t *Trust) Skills() string {
	used, others := t.steering.All()
	var b strings.Builder
	if len(used) == 0 {
		b.WriteString("The agent has no skills. A skill is a folder with a " + skill.MainFile + " in " + skill.InVault()[0] + " of the vault, or in " + config.SkillFolders()[0] + ".\n")
	} else {
		b.WriteString("The agent's skills:\n")
	}
	for _, s := range used {
		fmt.Fprintf(&b, "• %s: %s (%s)\n", s.Name, text.Clip(s.Description, 200), s.Folder)
	}
	for _, s := range others {
		why := "cannot be used: " + s.Why
		if s.Why == "" {
			why = "not used until you agree; /trust shows it"
		}
		fmt.Fprintf(&b, "• %s: %s\n", s.Folder, why)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
