package markdown

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"

	"chatvault/internal/base/text"
	"chatvault/tui/theme"
)

const (
	// maxHighlight bounds highlighted code, in bytes.
	maxHighlight = 32 << 10
	// maxGrowing is the same bound while code is still arriving.
	maxGrowing = 2 << 10
	// maxLexing bounds the time spent on one block; the rest is not highlighted.
	maxLexing  = 250 * time.Millisecond
	codeIndent = 2
)

// code draws a code block, indented, highlighted if the language is known, with long lines wrapped.
func (r *Renderer) code(code, language string, c context) []string {
	code = strings.TrimRight(code, "\n")
	c, indent := c.inside(codeIndent)
	whole, limit := len(code), maxHighlight
	if c.growing { // the last line is incomplete
		whole, limit = strings.LastIndexByte(code, '\n')+1, maxGrowing
	}
	spans := []span{{text: code}}
	if language != "" && len(code) <= limit && r.styles.Colorful {
		spans = append(r.colored(language, code[:whole]), span{text: code[whole:]})
	}
	pad := strings.Repeat(" ", indent)
	return Prefix(text.Of(wrapCode(spans, c.width), func(l string) string { return r.styles.Filled(l, c.width) }), pad, pad)
}

// colored splits code into spans in the colours of its language.
func (r *Renderer) colored(language, code string) []span {
	var spans []span
	from, at := 0, 0 // start and end of the last span
	for _, t := range lex(language, code) {
		open, ok := r.open.tokens[t.Type]
		if !ok {
			if open, ok = r.open.tokens[t.Type.SubCategory()]; !ok {
				open = r.open.tokens[t.Type.Category()]
			}
		}
		if n := len(spans); n == 0 || spans[n-1].open != open {
			spans = append(spans, span{open: open})
			from = at
		}
		at += len(t.Value)
		spans[len(spans)-1].text = code[from:at]
	}
	return append(spans, span{text: code[at:]})
}

// tokenStyles maps Chroma's token types and categories to styles.
func tokenStyles(s *theme.Styles) map[chroma.TokenType]string {
	return map[chroma.TokenType]string{
		chroma.Keyword: s.CodeKeyword, chroma.LiteralString: s.CodeString, chroma.LiteralNumber: s.CodeNumber,
		chroma.Comment: s.CodeComment, chroma.CommentPreproc: s.CodeName,
		chroma.NameFunction: s.CodeName, chroma.NameClass: s.CodeName, chroma.NameTag: s.CodeName, chroma.NameAttribute: s.CodeName,
		chroma.NameBuiltin: s.CodeName, chroma.NameDecorator: s.CodeName, chroma.NameVariable: s.CodeName,
		chroma.GenericHeading: s.CodeName, chroma.GenericSubheading: s.CodeName,
		chroma.GenericInserted: theme.Open(s.OK), chroma.GenericDeleted: theme.Open(s.Error),
	}
}

// lex splits code into tokens, which may cover only its beginning.
func lex(language, code string) (tokens []chroma.Token) {
	lexer := lexers.Get(language)
	if lexer == nil {
		return nil
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil
	}
	end := time.Now().Add(maxLexing)
	for t := next(); t != chroma.EOF && strings.HasPrefix(code, t.Value) && time.Now().Before(end); t = next() {
		tokens = append(tokens, t)
		code = code[len(t.Value):]
	}
	return tokens
}

// Code is a code block with its language as written ("go", may be empty), without fences or indentation.
type Code struct{ Language, Text string }

// maxCodeSource bounds the text searched for code, in bytes.
const maxCodeSource = 1 << 20

// CodeBlocks returns the code blocks of a text from the top, including those in lists and quotes.
func CodeBlocks(source string) []Code {
	source = source[:min(len(source), maxCodeSource)]
	if !strings.Contains(source, "```") && !strings.Contains(source, "~~~") && !strings.Contains(source, "    ") && !strings.Contains(source, "\t") {
		return nil
	}
	src := []byte(strings.ReplaceAll(source, "\r\n", "\n"))
	root := parse(src)
	var out []Code
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		c := Code{}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			c.Language = string(n.Language(src))
		case *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if c.Text = linesOf(n, src); strings.TrimSpace(c.Text) != "" {
			out = append(out, c)
		}
		return ast.WalkSkipChildren, nil
	})
	return out
}
