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

// Shape is a pair of responses in the format of a real endpoint: the first calls tools, the second
// answers with text. The format was recorded; the texts and ids are invented.
type Shape struct {
	Name      string
	Provider  string // name of the Endpoint
	Model     string
	Reasoning string      // reasoning of the first response
	Said      string      // text of the first response
	Calls     [][2]string // read_file calls of the first response: id as received, arguments
	Usage     [2]int      // prompt and completion tokens
	Text      string      // text of the second response
	// Back holds the extra fields that a client must send back with the message of the first response, Back1
	// those of its first call.
	Back, Back1   map[string]any
	First, Second string // response bodies
}

// Shapes returns the recorded shapes.
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

// parseShape parses a shape file: "NAME VALUE" lines, then the two response bodies after their separators.
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

// Steps returns the two responses as script steps, split by c.
func (s Shape) Steps(c Chunking) []Step {
	var steps []Step
	for _, body := range []string{s.First, s.Second} {
		steps = append(steps, Stream(body, c))
	}
	return steps
}

// Stream returns a step that answers with the bytes of an event stream, split by c.
func Stream(body string, c Chunking) Step {
	step := Wire(body)
	step.Parts = rechunk(step.Parts, c)
	return step
}
