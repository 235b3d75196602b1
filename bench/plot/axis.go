package plot

import (
	"math"
	"strconv"
)

// axis maps values to pixels.
type axis struct {
	from, to   float64 // values, or their logarithms
	start, end float64 // pixels
	log        bool
	ticks      []float64
}

// axes fit all points and limits; the vertical one begins at zero, so that a slope is
// not made to look steeper than it is.
func (c Chart) axes() (x, y *axis) {
	var xs []float64
	ys := []float64{0}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if c.drawable(p) {
				xs, ys = append(xs, p.X), append(ys, p.Y)
			}
		}
	}
	for _, l := range c.Limits {
		ys = append(ys, l.Y)
	}
	x = &axis{start: left, end: width - right, log: c.LogX}
	y = &axis{start: height - bottom, end: top}
	if c.LogX {
		x.decades(xs)
	} else {
		x.linear(xs)
	}
	y.linear(ys)
	return x, y
}

// linear spreads round steps over the values.
func (a *axis) linear(values []float64) {
	least, most := bounds(values)
	step := niceStep((most - least) / 5)
	first, last := math.Floor(least/step), math.Ceil(most/step)
	a.from, a.to = first*step, last*step
	for i := first; i <= last; i++ {
		a.ticks = append(a.ticks, i*step)
	}
}

// decades has one tick for each power of ten.
func (a *axis) decades(values []float64) {
	least, most := bounds(values)
	if least <= 0 {
		least, most = 1, 10 // nothing to draw
	}
	first, last := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	if last == first {
		last++
	}
	a.from, a.to = first, last
	for i := first; i <= last; i++ {
		a.ticks = append(a.ticks, math.Pow(10, i))
	}
}

func (a *axis) place(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	return a.start + (a.end-a.start)*(v-a.from)/(a.to-a.from)
}

// bounds are the least and the largest value, never the same.
func bounds(values []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	if least > most {
		return 0, 1
	}
	if least == most {
		return least, least + max(1, math.Abs(least))
	}
	return least, most
}

// niceStep is 1, 2 or 5 times a power of ten, and at least the step that was asked.
func niceStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// label is short: 20k, 10M.
func label(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'g', 3, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
