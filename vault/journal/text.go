package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"chatvault/internal/base/text"
)

// Text describes a change in a few words: "moved a.md to b.md, with 4 links in 3 notes". Names are not escaped for a
// terminal.
func (c *Change) Text() string {
	return c.Did() + map[State]string{
		Planned: " (cut off or still running)",
		Failed:  " (failed: nothing was changed)",
		Unclear: " (cut off: check it)",
	}[c.State]
}

// Did is Text without the state of the change.
func (c *Change) Did() string {
	back := c.Undoes != nil
	switch c.Op {
	case "create":
		return "created " + c.Path
	case "overwrite":
		return c.describeWrite()
	case "move":
		if back && !c.Undoes.Again {
			return "moved " + c.Path + " back to " + c.NewPath + c.describeLinks()
		}
		return "moved " + c.Path + " to " + c.NewPath + c.describeLinks()
	case "delete":
		return "deleted " + c.Path + c.describeContents()
	case "mkdir":
		return "created folder " + c.Path
	case "remove":
		return "removed " + c.Path + c.describeContents()
	case "restore":
		return "restored " + c.Path + c.describeContents()
	case "rmdir":
		return "removed folder " + c.Path
	case "none":
		return "found nothing left to undo in " + c.Path
	}
	return c.Op + " " + c.Path
}

// describeWrite describes a write.
func (c *Change) describeWrite() string {
	verb := "edited "
	switch {
	case c.Undoes != nil:
		verb = "restored "
	case c.Tool == "write_file":
		verb = "overwrote "
	}
	links := c.describeLinks()
	switch n := len(c.Files); {
	case c.NewPath != "" && c.Files[0].After == "":
		return "merged " + c.Path + " into " + c.NewPath + links
	case c.NewPath != "":
		return "moved a section of " + c.Path + " to " + c.NewPath + links
	case n > 1 && links == "":
		return verb + text.Count(n, "file")
	}
	return verb + c.Path + links
}

// describeLinks describes the links that a change updates.
func (c *Change) describeLinks() string {
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

// describeContents describes the number of files in a folder.
func (c *Change) describeContents() string {
	if !c.Folder {
		return ""
	}
	all := text.Count(len(c.Files)+c.More, "file")
	if c.Op == "restore" && c.More > 0 {
		return fmt.Sprintf("/ (%d of %s)", len(c.Files), all)
	}
	return fmt.Sprintf("/ (%s)", all)
}

// maxArguments limits the stored arguments of a call, in bytes.
const maxArguments = 16 << 10

// Arguments returns a call's arguments, recorded or not, as the journal records them: without spaces, their keys
// sorted, and above maxArguments only their length and hash. It returns nil for invalid ones.
func Arguments(args json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || !json.Valid(args) {
		return nil
	}
	args, _ = json.Marshal(v) // decoded values can be encoded
	if len(args) > maxArguments {
		return json.RawMessage(fmt.Sprintf(`{"cut":"the arguments were %d bytes long","hash":"%s"}`, len(args), Print(args)))
	}
	return args
}

// maxTitle limits a stored title, in characters.
const maxTitle = 200

// shortTitle returns a title on one line, of bounded length.
func shortTitle(title string) string {
	title = text.Head(title, 16*maxTitle) // the rest is never used
	return text.Excerpt(strings.ToValidUTF8(title, ""), maxTitle)
}
