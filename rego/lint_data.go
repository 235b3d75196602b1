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

// lintTable checks data.writ.stage_table where a policy has one: each row answers
// for each stage, with a word that means something.
func (s *source) lintTable() findings {
	value := s.writData("stage_table")
	if value == nil {
		return nil
	}
	rows, ok := value.(map[string]any)
	if !ok {
		return findings{s.lines.at("writ.stage_table", "data.writ.stage_table: expected rows by name")}
	}
	var fs findings
	for name, row := range rows {
		cells, ok := row.(map[string]any)
		if !ok {
			fs = append(fs, s.lines.at("writ.stage_table."+name, "row %s is %v; expected an answer for each stage", name, row))
			continue
		}
		fs = append(fs, s.lintRow(name, cells)...)
	}
	return fs
}

func (s *source) lintRow(name string, cells map[string]any) findings {
	place := "writ.stage_table." + name
	var fs findings
	for _, stage := range s.stages() {
		if cells[stage] == nil {
			fs = append(fs, s.lines.at(place, "row %s says nothing for stage %q; expected one of %v", name, stage, tableWords()))
		}
	}
	for stage, cell := range cells {
		if word, _ := cell.(string); !slices.Contains(tableWords(), word) {
			fs = append(fs, s.lines.at(place+"."+stage, "%v is no answer; expected one of %v", cell, tableWords()))
		}
		if !slices.Contains(s.stages(), stage) {
			fs = append(fs, s.lines.at(place+"."+stage, "%q is no stage; expected one of %v", stage, s.stages()))
		}
	}
	return fs
}

// tableWords are the answers that a stage table can hold.
func tableWords() []string { return []string{"RUN", "S", "A", "RECORD_ONLY", "REFUSE"} }
