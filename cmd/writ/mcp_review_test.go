package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// toolReview is what a reviewer states of one tool, after reading its source.
type toolReview struct {
	tool string
	// traits are effect, risk, undo and exposure, then "one" where it acts on one
	// thing, and "again" where a second call changes nothing more.
	traits string
	// undo says who, with what, until when, and what uses the change up (R8); only
	// where undo is possible.
	undo           []string
	does, rejected string
}

func filesystemReview() []toolReview {
	const versioned = "risk high: what lies below the served directory is in version control"
	const notes = "exposure sensitive: the served directory holds the team's own notes"
	anyone := []string{"anyone who may write there", "the path", "any time", "files that were put into it"}
	return []toolReview{
		{"read_file", "read low trivial internal one again", nil, "The old name of the reader for text.", notes},
		{"read_text_file", "read low trivial internal one again", nil, "Hands over one file's lines, or its head or tail.", notes},
		{"read_media_file", "read low trivial internal one again", nil, "Hands over one file as base64.", notes},
		{"read_multiple_files", "read low trivial internal again", nil, "Hands over several files; one that fails does not stop the rest.", notes},
		{"list_directory", "read low trivial internal one again", nil, "Names what lies in one directory.", notes},
		{"list_directory_with_sizes", "read low trivial internal one again", nil, "Names what lies in one directory, and how large it is.", notes},
		{"directory_tree", "read low trivial internal again", nil, "Walks a directory to the bottom and names everything.", notes},
		{"search_files", "read low trivial internal again", nil, "Walks a directory and names what fits a glob.", notes},
		{"get_file_info", "read low trivial internal one again", nil, "Size, times and mode of one path.", notes},
		{"list_allowed_directories", "read low trivial none one again", nil, "Says which directories are served.", "exposure internal: the paths are in the configuration that agents see"},
		{"create_directory", "write low possible internal one again", anyone, "Makes a directory and those above it; one that is there stays.", "undo trivial: what was put into it since goes too"},
		{"write_file", "write high impossible internal one again", nil, "Replaces a whole file, or makes it.", "exposure outbound: nothing is served from there"},
		{"edit_file", "write high impossible internal one", nil, "Replaces exact pieces of a file in place.", "exposure outbound: nothing is served from there"},
		// The description says that it fails where the destination exists; the code
		// renames over it.
		{"move_file", "write medium impossible internal one", nil, "Renames a path, over a file that has the new name.", versioned},
	}
}

func memoryReview() []toolReview {
	const team = "exposure sensitive: the graph holds what the team tells its agent, and nothing personal"
	editor := []string{"anyone with the graph's file", "the names", "any time", "an answer that was built on them"}
	return []toolReview{
		{"read_graph", "read medium trivial internal again", nil, "Hands over everything that is remembered.", team},
		{"search_nodes", "read low trivial internal again", nil, "Hands over entities that hold a text, with what connects them.", team},
		{"open_nodes", "read low trivial internal again", nil, "Hands over the named entities, with what connects them.", team},
		{"create_entities", "write low possible internal again", editor, "Remembers entities; a name that is taken keeps its old content.", "undo trivial: an agent may have used them"},
		{"create_relations", "write low possible internal again", editor, "Connects entities; a connection that is there stays single.", "undo trivial: an agent may have used them"},
		{"add_observations", "write low possible internal again", editor, "Adds sentences to entities.", "undo trivial: an agent may have used them"},
		{"delete_entities", "write high impossible internal again", nil, "Forgets entities and what connects them, without a copy.", "undo possible: the file is rewritten in place"},
		{"delete_observations", "write high impossible internal again", nil, "Forgets sentences, without a copy.", "undo possible: the file is rewritten in place"},
		{"delete_relations", "write high impossible internal again", nil, "Disconnects entities, without a copy.", "undo possible: the file is rewritten in place"},
	}
}

func everythingReview() []toolReview {
	const canned = "exposure internal: what it returns is built in"
	const session = "risk medium: it ends with the session"
	return []toolReview{
		{"echo", "read low trivial none one again", nil, "Says what it was told.", canned},
		{"get-annotated-message", "read low trivial none one again", nil, "A fixed message, marked in one of three ways.", canned},
		{"get-resource-links", "read low trivial none one again", nil, "Links to made-up resources.", canned},
		{"get-resource-reference", "read low trivial none one again", nil, "Refers to one made-up resource.", canned},
		{"get-structured-content", "read low trivial none one again", nil, "Fixed weather of three cities.", canned},
		{"get-sum", "read low trivial none one again", nil, "Adds a and b.", canned},
		{"get-tiny-image", "read low trivial none one again", nil, "A fixed picture.", canned},
		{"trigger-long-running-operation", "read low trivial none one again", nil, "Waits, and reports how far it is.", canned},
		// The server calls it read-only, which is true, and says nothing of credentials.
		{"get-env", "read medium trivial sensitive one again", nil, "Hands over the environment of the server's process.", "exposure internal: credentials are passed in environments"},
		{"gzip-file-as-resource", "write medium impossible outbound one", nil, "Fetches any address, and keeps the packed bytes for the session.", "risk high: it sends nothing but the address"},
		{"toggle-simulated-logging", "write low trivial none one", nil, "Starts or stops made-up log messages.", session},
		{"toggle-subscriber-updates", "write low trivial none one", nil, "Starts or stops made-up notifications.", session},
		{"simulate-research-query", "write low trivial none one", nil, "Starts a made-up task, and may ask the user back.", session},
	}
}

func thinkingReview() []toolReview {
	return []toolReview{
		{"sequentialthinking", "read low trivial none one", nil, "Counts the steps it is given and prints them.", "effect write: the list that it appends to ends with the process"},
	}
}

// fill writes what was stated into a skeleton, as a reviewer's editor would.
func fill(skeleton string, stated []toolReview, source string) string {
	named := regexp.MustCompile(`^  ([\w-]+):$`)
	lines := strings.Split(skeleton, "\n")
	var values map[string]string
	for i, line := range lines {
		if m := named.FindStringSubmatch(line); m != nil {
			values = nil
			if k := slices.IndexFunc(stated, func(r toolReview) bool { return r.tool == m[1] }); k >= 0 {
				values = stated[k].values(source)
			}
		}
		key, _, _ := strings.Cut(strings.TrimPrefix(line, "    "), ":")
		if value := values[key]; value != "" {
			lines[i] = "    " + key + ": " + value
		}
	}
	return strings.Join(lines, "\n")
}

// values are the tool's keys in a review, as YAML.
func (r toolReview) values(source string) map[string]string {
	words := strings.Fields(r.traits)
	undo := words[2]
	if undo == "possible" {
		undo = fmt.Sprintf("{can: possible, who: %q, needs: %q, within: %q, consumed_by: %q}",
			r.undo[0], r.undo[1], r.undo[2], r.undo[3])
	}
	return map[string]string{
		"effect": words[0], "risk": words[1], "undo": undo, "exposure": words[3],
		"collection":  fmt.Sprint(!slices.Contains(words, "one")),
		"idempotent":  fmt.Sprint(slices.Contains(words, "again")),
		"description": fmt.Sprintf("%q", r.does),
		"basis":       fmt.Sprintf("{kind: source_code, reference: %q, by: tool-review-team, at: %s}", source, npmBefore),
		"rejected":    fmt.Sprintf("%q", r.rejected),
	}
}
