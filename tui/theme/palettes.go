package theme

// A Look is a theme that the user can choose.
type Look struct {
	Name    string
	About   string
	palette Palette // zero for no colours
}

// Looks lists all themes in the order in which they are offered.
var Looks = []Look{
	{Dark, "quiet colours on a dark background", Palette{
		Accent:  color("#A78BFA", "141", "13"),
		Muted:   color("#8B909A", "246", "7"),
		OK:      color("#7FB685", "108", "2"),
		Warn:    color("#E0AF68", "179", "3"),
		Error:   color("#E5737D", "174", "9"),
		Code:    color("#D9B98A", "180", "3"),
		Surface: color("#26262A", "235", ""),
		Line:    color("#4B4E57", "239", "8"),
	}},
	{Light, "quiet colours on a light background", Palette{
		Accent:  color("#6B3FD4", "56", "5"),
		Muted:   color("#646A75", "242", "8"),
		OK:      color("#2B7A3E", "22", "4"),
		Warn:    color("#8F5E00", "94", "1"),
		Error:   color("#B3261E", "124", "1"),
		Code:    color("#8A4B00", "94", "5"),
		Surface: color("#F2F2F5", "255", ""),
		Line:    color("#C9CCD3", "251", "7"),
	}},
	{Warm, "amber and earth on a dark background", Palette{
		Accent:  color("#E8A15B", "215", "11"),
		Muted:   color("#A89984", "246", "7"),
		OK:      color("#B8BB62", "143", "2"),
		Warn:    color("#F2C14E", "221", "3"),
		Error:   color("#F0806B", "209", "9"),
		Code:    color("#DDB892", "180", "3"),
		Surface: color("#2A2724", "235", ""),
		Line:    color("#54493F", "239", "8"),
	}},
	{Contrast, "the strongest contrast, on a dark background", Palette{
		Accent:  color("#FFD75F", "221", "11"),
		Muted:   color("#D0D0D0", "252", "7"),
		OK:      color("#87FF87", "120", "10"),
		Warn:    color("#FFB86C", "215", "3"),
		Error:   color("#FFAFAF", "217", "9"),
		Code:    color("#AFFFFF", "159", "14"),
		Surface: color("#2A2A2E", "236", ""),
		Line:    color("#8A8A8A", "245", "7"),
	}},
	{ContrastLight, "the strongest contrast, on a light background", Palette{
		Accent:  color("#3A0CA3", "18", "4"),
		Muted:   color("#3A3A3A", "237", "0"),
		OK:      color("#004D00", "22", "0"),
		Warn:    color("#5F3700", "52", "1"),
		Error:   color("#870000", "88", "1"),
		Code:    color("#5F005F", "53", "5"),
		Surface: color("#F5EFDF", "230", ""),
		Line:    color("#6C6C6C", "242", "8"),
	}},
	{None, "no colour: bold, faint, underlined", Palette{}},
}

// find returns the look with a name.
func find(name string) (Look, bool) {
	for _, l := range Looks {
		if l.Name == name {
			return l, true
		}
	}
	return Look{}, false
}
