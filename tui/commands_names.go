package tui

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// CommandNames are the names of all commands the screen can have, whatever its Options give, and
// their other names: no command of a vault's own may be called so.
func CommandNames() []string { return slices.Clone(reservedNames()) }

var reservedNames = sync.OnceValue(func() []string {
	var names []string
	for _, c := range allCommands() {
		names = append(append(names, c.name), c.also...)
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// allCommands are the commands of Options that give every means there is.
func allCommands() []command {
	var o Options
	provide(reflect.ValueOf(&o).Elem())
	return commandsFor(o)
}

// provide gives a struct's functions, pointers and channels values, so that none is missing. They
// are looked at for being there, and never used.
func provide(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { panic("a means that is only looked at") }))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			if f.Elem().Kind() == reflect.Struct && strings.HasPrefix(f.Elem().Type().PkgPath(), v.Type().PkgPath()) {
				provide(f.Elem())
			}
		case reflect.Struct:
			if strings.HasPrefix(f.Type().PkgPath(), v.Type().PkgPath()) {
				provide(f)
			}
		}
	}
}
