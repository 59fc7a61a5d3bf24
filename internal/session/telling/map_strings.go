package telling

import (
	"reflect"
	"time"
)

// MapStrings is a copy of a value in which each string that can be reached through exported
// fields, slices and pointers went through f.
func MapStrings[T any](v T, f func(string) string) T {
	return mapped(reflect.ValueOf(&v).Elem(), f).Interface().(T)
}

func mapped(v reflect.Value, f func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(f(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(mapped(v.Elem(), f))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(mapped(v.Index(i), f))
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			break
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(mapped(v.Field(i), f))
			}
		}
	}
	return out
}
