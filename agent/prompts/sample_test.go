package prompts

import (
	"reflect"
	"strconv"
	"strings"
)

// names returns the names of the built-in prompts.
func names() (all []string) {
	files, err := builtinFiles.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		all = append(all, strings.TrimSuffix(f.Name(), suffix))
	}
	return all
}

// sampleLength is the length of the lists of sampleVars, like those of a turn.
const sampleLength = 20

// sampleVars returns variables that are all set.
func sampleVars() Vars {
	v := Vars{}
	fill(reflect.ValueOf(&v).Elem())
	return v
}

// fill sets every part of a value of plain data.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(2)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), sampleLength, sampleLength))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	default:
		panic("a prompt's variable of kind " + strconv.Quote(v.Kind().String()) + " is not plain data")
	}
}
