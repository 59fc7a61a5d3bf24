package composer

// longLine is the length from which the rows of a line are kept, in bytes: a frame asks for them
// several times.
const longLine = 1 << 10

// rowed is a long line whose rows are known.
type rowed struct {
	text   string
	width  int
	starts []int
}

// rows gives the offsets at which the drawn rows of a line begin.
func (e *editor) rows(line string, width int) []int {
	if len(line) < longLine {
		return e.breakRows(line, width)
	}
	if e.rowed.width != width || e.rowed.text != line {
		e.rowed = rowed{line, width, e.breakRows(line, width)}
	}
	return e.rowed.starts
}

// breakRows breaks a line. A row ends after a space where it can; one cell is left free for the cursor.
func (e *editor) breakRows(line string, width int) []int {
	starts := []int{0}
	if (len(line) < width || nextPasted(line) < len(line)) && e.cells(line) < width {
		return starts
	}
	used, breakAt := 0, -1
	for i := 0; i < len(line); {
		n := clusterAfter(line[i:])
		w := e.cells(line[i : i+n])
		start := starts[len(starts)-1]
		if used+w >= width && i > start {
			if breakAt > start {
				starts = append(starts, breakAt)
				used = e.cells(line[breakAt:i])
			} else {
				starts = append(starts, i)
				used = 0
			}
			breakAt = -1
		}
		used += w
		i += n
		if line[i-n] == ' ' || line[i-n] == '\t' {
			breakAt = i
		}
	}
	return starts
}
