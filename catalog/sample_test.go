package catalog_test

import (
	"testing"
	"time"

	"github.com/writ-dev/writ/catalog"
)

// The catalogue that a newcomer starts with passes its own checks (R20).
func TestSampleHasNoFindings(t *testing.T) {
	fsys, err := catalog.Sample()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range catalog.Check(fsys, time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)) {
		t.Error(f)
	}
}
