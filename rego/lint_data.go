package rego

import (
	"fmt"
	"slices"
)

// writData returns a value of data.writ.
func (s *source) writData(key string) any {
	writ, _ := s.data[packageWrit].(map[string]any)
	return writ[key]
}

// stages returns data.writ.stages.
func (s *source) stages() []string {
	list, _ := s.writData("stages").([]any)
	var stages []string
	for _, v := range list {
		if name, ok := v.(string); ok {
			stages = append(stages, name)
		}
	}
	return stages
}

// lintData checks the data that Writ itself relies on.
func (s *source) lintData() findings {
	return append(s.lintStages(), s.lintTable()...)
}

const maxStages = 16

func (s *source) lintStages() findings {
	stages := s.stages()
	list, _ := s.writData("stages").([]any)
	for i, name := range stages {
		if name == "" || slices.Contains(stages[:i], name) {
			return findings{s.lines.at(fmt.Sprintf("writ.stages.%d", i), "stage %q is empty or repeated; name each stage once", name)}
		}
	}
	if len(stages) == 0 || len(stages) != len(list) || len(stages) > maxStages {
		f := s.lines.at("writ.stages", "data.writ.stages: expected 1 to %d names of rollout stages, in order", maxStages)
		return findings{f}
	}
	return nil
}

// lintTable checks data.writ.stage_table where a policy has one.
func (s *source) lintTable() findings {
	value := s.writData("stage_table")
	if value == nil {
		return nil
	}
	rows, ok := value.([]any)
	if !ok {
		return findings{s.lines.at("writ.stage_table", "data.writ.stage_table: expected a list of rows")}
	}
	var fs findings
	for i, row := range rows {
		dotted := fmt.Sprintf("writ.stage_table.%d", i)
		members, ok := row.(map[string]any)
		if !ok {
			fs = append(fs, s.lines.at(dotted, "row is %v; expected an object", row))
			continue
		}
		fs = append(fs, s.lintRow(dotted, members)...)
	}
	return fs
}

// lintRow checks a row's words and that it answers for each stage.
func (s *source) lintRow(dotted string, row map[string]any) findings {
	var fs findings
	for _, f := range traitFields() {
		trait := f.path[len("traits."):]
		words, _ := row[trait].([]any)
		if f.words != nil && len(words) == 0 {
			fs = append(fs, s.lines.at(dotted, "row does not say which %s it is about: write %s: %v", trait, trait, f.words))
		}
		for i, word := range words {
			if name, _ := word.(string); !slices.Contains(f.words, name) {
				fs = append(fs, s.lines.at(fmt.Sprintf("%s.%s.%d", dotted, trait, i), "%v is no %s; expected one of %v", word, trait, f.words))
			}
		}
	}
	cells, _ := row["then"].(map[string]any)
	for _, stage := range s.stages() {
		if cells[stage] == nil {
			fs = append(fs, s.lines.at(dotted, "row says nothing for stage %q; expected one of %v", stage, tableWords()))
		}
	}
	for stage, cell := range cells {
		place := dotted + ".then." + stage
		if name, _ := cell.(string); !slices.Contains(tableWords(), name) {
			fs = append(fs, s.lines.at(place, "%v is no answer; expected one of %v", cell, tableWords()))
		}
		if !slices.Contains(s.stages(), stage) {
			fs = append(fs, s.lines.at(place, "%q is no stage; expected one of %v", stage, s.stages()))
		}
	}
	return fs
}

// tableWords are the answers that a stage table can hold.
func tableWords() []string { return []string{"RUN", "S", "A", "RECORD_ONLY", "REFUSE"} }
