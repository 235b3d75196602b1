package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/writ-dev/writ/bench/plot"
)

var update = flag.Bool("update", false, "write the expected files anew")

// The drawing of a small chart, to be looked at in a browser after -update.
func TestSVG(t *testing.T) {
	got := plot.Chart{
		Title: "answers < time & tools", X: "tools", Y: "answers/s", LogX: true,
		Lines: []plot.Line{
			{Name: "plain", Points: []plot.Point{{10, 24000}, {100, 23900}, {1000, 22000}, {10000, 20500}}},
			{Name: "nothing repeats", Points: []plot.Point{{10, 9000}, {100, 9100}, {1000, math.NaN()}, {10000, 8000}}},
		},
		Limits: []plot.Limit{{Name: "at least", Y: 8000}},
	}.SVG()
	const golden = "testdata/chart.svg"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil { //nolint:gosec // a test's own file
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the chart is not %s: look at the difference, then go test ./bench/plot -update", golden)
	}
}

// Whatever the numbers, the drawing is well-formed and holds no NaN, which a browser
// would not draw.
func TestEveryChartCanBeDrawn(t *testing.T) {
	point := rapid.Custom(func(t *rapid.T) plot.Point {
		return plot.Point{X: rapid.Float64Range(-1e12, 1e12).Draw(t, "x"), Y: rapid.Float64Range(-1e12, 1e12).Draw(t, "y")}
	})
	rapid.Check(t, func(t *rapid.T) {
		c := plot.Chart{
			Title: rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "title"),
			LogX:  rapid.Bool().Draw(t, "log"),
			Lines: []plot.Line{{Points: rapid.SliceOfN(point, 0, 5).Draw(t, "points")}},
		}
		svg := c.SVG()
		for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, svg)
			}
		}
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Fatalf("a place that is no number:\n%s", svg)
		}
	})
}
