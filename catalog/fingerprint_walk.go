package catalog

import (
	"iter"
)

// The functions here read JSON in canonical form (decisions.Canonical), which is
// valid, sorted and without white space. So they need neither errors nor a tree.

// members yields each key, in its quotes, and value of an object. What is no object
// has no members.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for i := 1; i < len(object)-1 && object[0] == '{'; {
			colon := i + extent(object[i:])
			end := colon + 1 + extent(object[colon+1:])
			if !yield(object[i:colon], object[colon+1:end]) {
				return
			}
			i = end + 1
		}
	}
}

// elements yields each element of an array. What is no array has no elements.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 1; i < len(array)-1 && array[0] == '['; {
			end := i + extent(array[i:])
			if !yield(array[i:end]) {
				return
			}
			i = end + 1
		}
	}
}

// lookup returns the value of a key that needs no escapes, or nil.
func lookup(object []byte, key string) []byte {
	for k, v := range members(object) {
		if string(k[1:len(k)-1]) == key {
			return v
		}
	}
	return nil
}

// extent returns the length of the value that src starts with.
func extent(src []byte) int {
	switch src[0] {
	case '"':
		return stringExtent(src)
	case '{', '[':
		for i, depth := 0, 0; ; i++ {
			switch src[i] {
			case '"':
				i += stringExtent(src[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i, c := range src {
		if c == ',' || c == '}' || c == ']' {
			return i
		}
	}
	return len(src)
}

func stringExtent(src []byte) int {
	for i := 1; ; i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}
