// Package skill reads Agent Skills (agentskills.io): folders with a SKILL.md, which describes how to do something, and
// more files to read. A skill is only text for the agent: nothing in its folder is run, it adds no tool and grants no
// permission. A skill that came with a vault is used once its owner has agreed to the content of all its files.
package skill

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
	"chatvault/internal/base/trust"
	"chatvault/vault/block"
	"chatvault/vault/note"
)

// InVault returns the folders of a vault with skills; earlier ones take precedence.
func InVault() []string { return []string{".agents/skills", ".claude/skills"} }

// MainFile makes a folder a skill.
const MainFile = "SKILL.md"

const (
	maxFiles       = 200 // of a skill
	maxDepth       = 5   // folders below a skill's
	maxMain        = 64 << 10
	maxAll         = 1 << 20 // bytes of a skill's files together
	maxName        = 64      // characters
	maxDescription = 1024
)

// Skill is a skill as read from disk.
type Skill struct {
	Name        string // of its folder
	Description string // what it does and when to use it, on one line
	Folder      string // ".agents/skills/NAME", or an absolute path outside the vault
	Why         string // why it cannot be used; empty if it can
	Body        string // of SKILL.md, without its front matter

	files []resource // SKILL.md first, the others sorted
}

type resource struct {
	name string // relative to the skill's folder, with slashes
	data []byte
}

// Resources returns the names of the files other than SKILL.md, relative to the folder of the skill.
func (s Skill) Resources() []string {
	return text.Of(s.files[min(1, len(s.files)):], func(f resource) string { return f.name })
}

// Resource returns the content of such a file.
func (s Skill) Resource(name string) ([]byte, bool) {
	i := slices.IndexFunc(s.files, func(f resource) bool { return f.name == name && name != MainFile })
	if i < 0 {
		return nil, false
	}
	return s.files[i].data, true
}

// File returns the skill for consent: all its files one after another, each after its name and size, so that no two
// skills are equal. Binary files are represented by their hash.
func (s Skill) File() trust.File {
	f := trust.File{Name: s.Folder, Why: s.Why}
	if s.Why != "" {
		return f
	}
	var b bytes.Buffer
	for _, file := range s.files {
		if !utf8.Valid(file.data) || bytes.IndexByte(file.data, 0) >= 0 {
			fmt.Fprintf(&b, "%s, %d bytes, no text, SHA-256 %x\n", file.name, len(file.data), sha256.Sum256(file.data))
			continue
		}
		fmt.Fprintf(&b, "%s, %d bytes:\n%s\n", file.name, len(file.data), file.data)
	}
	f.Data = b.Bytes()
	return f
}

// In reads the skills in folders of root, without private ones. Of two with the same name, the second is unusable. The
// budget reports whether some are missing.
func In(b *statefile.Budget, root *os.Root, folders []string, private func(name string) bool) []Skill {
	var all []Skill
	for _, folder := range folders {
		entries, err := b.List(root, folder)
		if err != nil { // there is none
			continue
		}
		for _, e := range entries {
			name := e.Name()
			at := path.Join(folder, name)
			if strings.HasPrefix(name, ".") || !e.IsDir() && e.Type()&fs.ModeSymlink == 0 || private != nil && private(at+"/"+MainFile) {
				continue
			}
			s, there := read(b, root, at, private)
			if !there {
				continue
			}
			if s.Why != "" { // its name may be hostile
				s.Folder = text.Printable(s.Folder)
			}
			if i := slices.IndexFunc(all, func(o Skill) bool { return o.Name == s.Name }); i >= 0 {
				if all[i].Why == "" && e.Type()&fs.ModeSymlink != 0 {
					continue // the same skill, installed for several programs
				}
				s.Why = fmt.Sprintf("%s has the same name", all[i].Folder)
			}
			all = append(all, s)
		}
	}
	return all
}

// read reads a skill. there is false if the folder has no SKILL.md.
func read(b *statefile.Budget, root *os.Root, folder string, private func(string) bool) (s Skill, there bool) {
	s = Skill{Name: path.Base(folder), Folder: folder}
	main, err := b.Read(root, folder+"/"+MainFile, maxMain)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, false
	case errors.Is(err, statefile.ErrNotFolder):
		s.Why = "it is a link, which is not followed"
	case errors.Is(err, statefile.ErrTooLarge):
		s.Why = fmt.Sprintf("its %s is larger than %d KB; move what is rarely needed to separate files", MainFile, maxMain>>10)
	case errors.Is(err, statefile.ErrNotFile):
		s.Why = "its " + MainFile + " is not a regular file"
	case err == nil:
		s.files = []resource{{MainFile, main}}
		if err = s.parse(main); err == nil {
			err = s.gather(b, root, "", private)
		}
	}
	if err != nil && s.Why == "" {
		s.Why = err.Error()
	}
	return s, true
}

// gather reads the regular files other than SKILL.md, without hidden ones and links.
func (s *Skill) gather(b *statefile.Budget, root *os.Root, below string, private func(string) bool) error {
	if strings.Count(below, "/") >= maxDepth {
		return fmt.Errorf("its folders are nested deeper than %d", maxDepth)
	}
	entries, err := b.List(root, path.Join(s.Folder, below))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		at := s.Folder + "/" + name
		switch {
		case strings.HasPrefix(e.Name(), "."), name == MainFile, private != nil && private(at):
			continue
		case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
			return fmt.Errorf("the name of the file %q in it cannot be written", name)
		case e.IsDir():
			if err := s.gather(b, root, name, private); err != nil {
				return err
			}
			continue
		case !e.Type().IsRegular():
			continue
		case len(s.files) == maxFiles:
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		left := int64(maxAll)
		for _, f := range s.files {
			left -= int64(len(f.data))
		}
		data, err := b.Read(root, at, left)
		if errors.Is(err, statefile.ErrTooLarge) {
			return fmt.Errorf("its files are larger than %d KB together", maxAll>>10)
		}
		if err != nil {
			return err
		}
		s.files = append(s.files, resource{name, data})
	}
	return nil
}

// parse parses SKILL.md.
func (s *Skill) parse(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("its " + MainFile + " is not UTF-8 text")
	}
	_, end, body := block.FrontMatter(data)
	if body == end {
		return errors.New("its " + MainFile + " has no front matter, with name and description between two lines of ---")
	}
	var name, description string
	properties, err := note.Properties(data)
	for _, p := range properties {
		value, isText := p.Value.(string)
		switch {
		case p.Key == "name" && isText:
			name = value
		case p.Key == "description" && isText:
			description = value
		}
	}
	if err != nil {
		return fmt.Errorf("its front matter cannot be read: %w", err)
	}
	s.Body, s.Description = strings.TrimSpace(string(data[body:])), text.OneLine(text.Printable(description))
	if name == "" {
		return errors.New("its front matter gives no name")
	}
	if !validName().MatchString(norm.NFKC.String(name)) || utf8.RuneCountInString(name) > maxName {
		return fmt.Errorf("its name %q is not valid: at most %d lower-case letters, digits and single hyphens between them", text.Clip(name, maxName), maxName)
	}
	if norm.NFKC.String(name) != norm.NFKC.String(s.Name) {
		return fmt.Errorf("its name %q is not that of its folder", name)
	}
	switch n := utf8.RuneCountInString(s.Description); {
	case n == 0:
		return errors.New("its front matter gives no description")
	case n > maxDescription:
		return fmt.Errorf("its description has %d characters, at most %d are allowed", n, maxDescription)
	}
	return nil
}

// validName matches a name as the specification has it: lower case, with single hyphens inside.
var validName = lazyregexp.New(`^[\p{Ll}\p{Lo}\p{Lm}\p{Nd}]+(-[\p{Ll}\p{Lo}\p{Lm}\p{Nd}]+)*$`)

// maxUsed limits the skills of an agent: they are named in every request.
const maxUsed = 60

// Library holds the skills of a vault and the user's own.
type Library struct {
	Vault   *os.Root
	Private func(name string) bool
	Answers *trust.Answers
	Own     []string // the user's own folders, as absolute paths
}

// Brought returns the vault's own skills, with or without consent. If there are too many, it returns none and turns off
// all content of the vault that needs consent.
func (l *Library) Brought() []Skill {
	if l.Answers.Off() != nil {
		return nil
	}
	b := trust.NewBudget()
	all := In(b, l.Vault, InVault(), l.Private)
	if b.Err() != nil {
		_ = l.Answers.TurnOff(b.Err())
		return nil
	}
	return all
}

// All returns the current skills: used are the usable ones that are the user's own or have consent. The vault's take
// precedence over the user's.
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
		b := trust.NewBudget()
		all := In(b, root, []string{"."}, nil)
		if b.Err() != nil {
			all = []Skill{{Folder: ".", Why: b.Err().Error()}}
		}
		for _, s := range all {
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

// Used returns the skills that the agent has.
func (l *Library) Used() []Skill {
	used, _ := l.All()
	return used
}
