package llmtest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed testdata/shapes
var shapesFS embed.FS

// Shape is an exchange in the form that a real endpoint was seen to send: a response that calls
// tools, and one that answers. Words and ids are ours.
type Shape struct {
	Name      string
	Provider  string // the Endpoint's name
	Model     string
	Reasoning string      // of the first response
	Said      string      // and its text
	Calls     [][2]string // its calls of read_file: ids as they come, arguments
	Usage     [2]int      // tokens of prompt and completion
	Text      string      // of the second response
	// Back are fields that the first response has when it goes back; Back1, its first call.
	Back, Back1   map[string]any
	First, Second string // bytes
}

// Shapes are all of them.
func Shapes() ([]Shape, error) {
	files, err := fs.Glob(shapesFS, "testdata/shapes/*.txt")
	if err != nil {
		return nil, err
	}
	var all []Shape
	for _, name := range files {
		b, err := shapesFS.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := parseShape(string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.Name = strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".txt")
		all = append(all, s)
	}
	return all, nil
}

// parseShape reads lines "NAME VALUE", and after them the two responses.
func parseShape(text string) (Shape, error) {
	var s Shape
	head, rest, ok := strings.Cut(text, "-- first --\n")
	if !ok {
		return s, fmt.Errorf("there is no first response")
	}
	if s.First, s.Second, ok = strings.Cut(rest, "-- second --\n"); !ok {
		return s, fmt.Errorf("there is no second response")
	}
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch name {
		case "provider":
			s.Provider = value
		case "model":
			s.Model = value
		case "reasoning":
			s.Reasoning = strings.ReplaceAll(value, `\n`, "\n")
		case "said":
			s.Said = value
		case "text":
			s.Text = value
		case "calls":
			err = json.Unmarshal([]byte(value), &s.Calls)
		case "usage":
			err = json.Unmarshal([]byte(value), &s.Usage)
		case "back":
			err = json.Unmarshal([]byte(value), &s.Back)
		case "back1":
			err = json.Unmarshal([]byte(value), &s.Back1)
		default:
			err = fmt.Errorf("%q is not known", name)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
	}
	if EndpointOf(s.Provider) == nil || s.Model == "" || s.Text == "" || len(s.Calls) == 0 {
		return s, fmt.Errorf("it wants a known provider, a model, calls and a text")
	}
	return s, nil
}

// Steps are its two responses, the bytes in pieces of a chunking.
func (s Shape) Steps(c Chunking) []Step {
	var steps []Step
	for _, body := range []string{s.First, s.Second} {
		steps = append(steps, Stream(body, c))
	}
	return steps
}

// Stream answers with the bytes of a stream, in pieces of a chunking.
func Stream(body string, c Chunking) Step {
	step := Wire(body)
	step.Parts = rechunk(step.Parts, c)
	return step
}
