package session

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"chatvault/agent/prompts"
	"chatvault/internal/config"
	"chatvault/internal/skill"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

// steering is what the vault's owner tells the agent: in AGENTS.md or CLAUDE.md, and in skills. It counts
// where the owner agreed to it as it is, from the next message on, and until it changes.
type steering struct {
	skill.Library

	mu   sync.Mutex
	told map[string]string // of what the user was told that it is not used, by file: what it held
}

// Skills are the skills of a vault, whose folder vault is, and those of the user's own. Of its own are none
// that lie in the vault.
func Skills(cfg *config.Config, vault *os.Root, answers *trust.Answers) skill.Library {
	own := slices.DeleteFunc(config.SkillFolders(), func(folder string) bool { return inside(folder, vault.Name()) })
	return skill.Library{Vault: vault, Private: privateIn(cfg), Answers: answers, Own: own}
}

// instructions are what the vault's owner tells agents, and which file they are from; empty: there are none
// that count.
func (s *steering) instructions() (name, text string) {
	s.Answers.Refresh() // another process may have asked
	f, there := trust.Instructions(s.Vault, s.Private)
	if !there || f.Why != "" || !s.Answers.Agreed(f.Name, f.Data) {
		return "", ""
	}
	return f.Name, strings.TrimSpace(string(f.Data))
}

// fill tells a prompt.
func (s *steering) fill(v *prompts.Vars) {
	v.InstructionsFile, v.Instructions = s.instructions()
	v.Skills = nil
	for _, u := range s.Used() {
		v.Skills = append(v.Skills, prompts.Skill{Name: u.Name, About: u.Description})
	}
}

// fault is what is wrong with the instructions, for the start, which tells of all that does not count.
// files are what the vault brings.
func (s *steering) fault(files []trust.File) string {
	for _, f := range s.untold(files) {
		if f.Why != "" {
			return f.Name + " cannot be used as instructions: " + f.Why + "."
		}
	}
	return ""
}

// news says, before a turn, what the user was not told yet: that something does not count.
func (s *steering) news() string {
	off := s.Answers.Off()
	s.Answers.Refresh()
	var all []trust.File
	if f, there := trust.Instructions(s.Vault, s.Private); there {
		all = append(all, f)
	}
	for _, b := range s.Brought() {
		all = append(all, b.File())
	}
	if why := s.Answers.Off(); why != nil && off == nil {
		return text.Capital(why.Error()) + "."
	}
	untold := s.untold(all)
	if s.Answers.Off() != nil || len(untold) == 0 {
		return ""
	}
	if f := untold[0]; f.Why != "" {
		return f.Name + " cannot be used as instructions: " + f.Why + "."
	}
	return Brought{}.Describe(untold) + " changed; what is there now is not used until you agree: /trust or chatvault trust shows it."
}

// untold are those of the files that are instructions or skills and do not count, as long as nobody was told.
// What is wrong with a skill is told where it is asked for.
func (s *steering) untold(all []trust.File) (untold []trust.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.told
	s.told = map[string]string{}
	for _, f := range all {
		folder := path.Dir(f.Name)
		if isSkill := slices.Contains(skill.InVault(), folder); folder != "." && (!isSkill || f.Why != "") {
			continue
		}
		if s.Answers.Asked(f.Name, f.Data) {
			continue
		}
		s.told[f.Name] = f.Why + string(f.Data)
		if before, told := was[f.Name]; !told || before != s.told[f.Name] {
			untold = append(untold, f)
		}
	}
	return untold
}

// Skills tells of the skills there are.
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
