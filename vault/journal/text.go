package journal

import (
	"fmt"

	"chatvault/internal/text"
)

// Text says in a few words what a change did: "moved a.md to b.md, with 4 links in 3 notes". Names
// are as they are, not made safe for a screen.
func (c *Change) Text() string {
	did := c.Did()
	switch c.State {
	case Planned:
		did += " (cut off or still running)"
	case Failed:
		did += " (failed: nothing was changed)"
	case Unclear:
		did += " (cut off: check it)"
	}
	return did
}

// Did is Text without how it ended.
func (c *Change) Did() string {
	back := c.Undoes != nil
	switch c.Op {
	case "create":
		return "created " + c.Path
	case "overwrite":
		return c.wrote()
	case "move":
		if back && !c.Undoes.Again {
			return "moved " + c.Path + " back to " + c.NewPath + c.links()
		}
		return "moved " + c.Path + " to " + c.NewPath + c.links()
	case "delete":
		return "deleted " + c.Path + c.contents()
	case "mkdir":
		return "created folder " + c.Path
	case "remove":
		if c.Folder || len(c.Files) > 1 {
			return "removed " + c.Path + fmt.Sprintf(" (%s)", text.Count(len(c.Files), "file"))
		}
		return "removed " + c.Path
	case "restore":
		return c.restored()
	case "rmdir":
		return "removed folder " + c.Path
	case "none":
		return "found nothing left to undo in " + c.Path
	}
	return c.Op + " " + c.Path
}

// wrote says what a write was.
func (c *Change) wrote() string {
	verb := "edited "
	switch {
	case c.Undoes != nil:
		verb = "restored "
	case c.Tool == "write_file":
		verb = "overwrote "
	}
	if n := len(c.Files); n > 1 {
		return verb + text.Count(n, "file")
	}
	return verb + c.Path
}

// restored says what came back, and first what did not.
func (c *Change) restored() string {
	if c.Missing == 0 {
		return "restored " + c.Path + c.contents()
	}
	said := fmt.Sprintf("could not restore %s of %s/", text.Count(c.Missing, "file"), c.Path)
	if len(c.Files) == 0 {
		return said + "; recreated its folders"
	}
	return said + fmt.Sprintf("; restored the other %s", text.Thousands(len(c.Files)))
}

// links says which links a move changed.
func (c *Change) links() string {
	links, notes := 0, 0
	for i := range c.Files {
		if n := c.Files[i].Links; n > 0 {
			links += n
			notes++
		}
	}
	if notes == 0 {
		return ""
	}
	return fmt.Sprintf(", with %s in %s", text.Count(links, "link"), text.Count(notes, "note"))
}

// contents says how much was in a folder.
func (c *Change) contents() string {
	if !c.Folder {
		return ""
	}
	return fmt.Sprintf("/ (%s)", text.Count(len(c.Files)+c.More, "file"))
}
