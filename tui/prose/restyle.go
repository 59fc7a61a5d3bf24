package prose

// Restyle has the diff drawn anew: the styles are others now.
func (v *View) Restyle() {
	v.marks, v.width, v.rows = !v.styles.Colorful, 0, nil
}
