// Package plot draws line charts as SVG: what a result's numbers look like, in a file
// that a browser and a code host show, and that a diff can read.
package plot

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
)

// Chart is one set of axes with lines on it. The zero value is an empty chart.
type Chart struct {
	Title, X, Y string
	// LogX spaces the horizontal axis by factors of ten.
	LogX  bool
	Lines []Line
	// Limits are drawn across: what a line should stay above or below.
	Limits []Limit
}

// Line is a series of points in order.
type Line struct {
	Name   string
	Points []Point
}

// Point is one measured value. Values that are no finite number are left out.
type Point struct{ X, Y float64 }

// Limit is a level with a name.
type Limit struct {
	Name string
	Y    float64
}

// The canvas, in pixels.
const (
	width, height            = 640, 340
	left, right, top, bottom = 70, 20, 40, 70
)

// colours differ in lightness too, for those who see no hues; marks differ as well.
func colours() []string { return []string{"#1b4f72", "#d35400", "#229954", "#884ea0", "#7f8c8d"} }

// SVG draws the chart.
func (c Chart) SVG() []byte {
	x, y := c.axes()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	text(&b, width/2, 20, "middle", "#000", c.Title)
	text(&b, (left+width-right)/2, height-bottom+34, "middle", "#000", c.X)
	fmt.Fprintf(&b, `<text x="16" y="%d" text-anchor="middle" transform="rotate(-90 16 %d)">%s</text>`+"\n",
		(top+height-bottom)/2, (top+height-bottom)/2, html.EscapeString(c.Y))
	for _, tick := range x.ticks {
		at := x.place(tick)
		fmt.Fprintf(&b, `<path d="M%.1f %d V%d" stroke="#ddd"/>`+"\n", at, top, height-bottom)
		text(&b, at, height-bottom+16, "middle", "#333", label(tick))
	}
	for _, tick := range y.ticks {
		at := y.place(tick)
		fmt.Fprintf(&b, `<path d="M%d %.1f H%d" stroke="#ddd"/>`+"\n", left, at, width-right)
		text(&b, left-6, at+4, "end", "#333", label(tick))
	}
	for _, l := range c.Limits {
		fmt.Fprintf(&b, `<path d="M%d %.1f H%d" stroke="#c0392b" stroke-dasharray="6 4"/>`+"\n", left, y.place(l.Y), width-right)
		text(&b, width-right-4, y.place(l.Y)-4, "end", "#c0392b", l.Name)
	}
	c.lines(&b, x, y)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// lines draws each line with its marks, and its name below the chart.
func (c Chart) lines(b *bytes.Buffer, x, y *axis) {
	at := float64(left)
	for i, l := range c.Lines {
		colour := colours()[i%len(colours())]
		points := slices.DeleteFunc(slices.Clone(l.Points), func(p Point) bool { return !c.drawable(p) })
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" points="`, colour)
		for j, p := range points {
			if j > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(b, "%.1f,%.1f", x.place(p.X), y.place(p.Y))
		}
		b.WriteString(`"/>` + "\n")
		for _, p := range points {
			if len(points) <= 30 {
				fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"/>`+"\n", x.place(p.X), y.place(p.Y), 3+i%2, colour)
			}
		}
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="14" height="4" fill="%s"/>`+"\n", at, height-20, colour)
		text(b, at+20, height-14, "start", "#000", l.Name)
		at += 44 + 6.5*float64(len(l.Name))
	}
}

func (c Chart) drawable(p Point) bool {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	return finite(p.X) && finite(p.Y) && (!c.LogX || p.X > 0)
}

func text(b *bytes.Buffer, x, y float64, anchor, colour, words string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, html.EscapeString(words))
}
