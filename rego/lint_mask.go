package rego

import (
	"fmt"
	"strings"
)

// maskPaths reads data.writ.mask, the paths of what the log must not show.
func (s *source) maskPaths() ([]maskPath, findings) {
	value := s.writData("mask")
	if value == nil {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, findings{s.lines.at("writ.mask", `data.writ.mask: expected a list of input paths, as in ["arguments.iban"]`)}
	}
	var paths []maskPath
	var found findings
	for i, entry := range list {
		text, _ := entry.(string)
		path, err := parseMaskPath(text)
		if err == nil && !path.allowed() {
			err = fmt.Errorf("an entry shows it elsewhere, or it is not personal; expected a path below one of %s", strings.Join(maskable(), ", "))
		}
		if err != nil {
			found = append(found, s.lines.at(fmt.Sprintf("writ.mask.%d", i), "mask path %v: %v", entry, err))
			continue
		}
		paths = append(paths, path)
	}
	return paths, found
}

// lintMask refuses paths that hide nothing: a misspelt one would show what was meant.
func (s *source) lintMask(reads []inputPath) findings {
	list, _ := s.writData("mask").([]any)
	paths, found := s.maskPaths()
	if len(found) > 0 {
		return found
	}
	for i, path := range paths {
		if !path.read(reads) {
			found = append(found, s.lines.at(fmt.Sprintf("writ.mask.%d", i),
				"mask path %v: no rule reads it, so no entry holds it; correct it, or leave it out", list[i]))
		}
	}
	return found
}
