package main

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	columnGap     = 2
	leastColumn   = 6  // what a column that gives way keeps
	unknownWidth  = 80 // where there is no terminal
	fixedColumns  = 3  // time, entry and outcome are never cut
	followedWords = 16 // room for words of entries that are yet to come
)

// fit returns the width of each column of a list, so that a line fits a width: the last
// column goes first, and then the widest of those that may be cut gives way.
func fit(rows [][]string, width int) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i := fixedColumns; i < len(widths)-1; i++ {
		widths[i] = max(widths[i], followedWords)
	}
	if total(widths) > width {
		widths = widths[:len(widths)-1]
	}
	for total(widths) > width {
		cut := widths[fixedColumns:]
		widest := slices.Index(cut, slices.Max(cut))
		if cut[widest] <= leastColumn {
			return widths
		}
		cut[widest]--
	}
	return widths
}

func total(widths []int) int {
	sum := columnGap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// line pads and cuts a row to its columns. What must not be cut pushes the rest aside.
func line(row []string, widths []int) string {
	var b strings.Builder
	for i, width := range widths {
		cell := row[i]
		if n := utf8.RuneCountInString(cell); n > width && i >= fixedColumns {
			cell = string([]rune(cell)[:width-1]) + "…"
		}
		b.WriteString(cell)
		if i < len(widths)-1 {
			b.WriteString(strings.Repeat(" ", max(width-utf8.RuneCountInString(cell), 0)+columnGap))
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
