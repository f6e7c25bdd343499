package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document parses a file of one YAML document, a mapping, and returns that, or what is wrong.
func document(text []byte) (*yaml.Node, []Fault) {
	if len(text) > maxFile {
		return nil, []Fault{{Message: fmt.Sprintf("is larger than the %d bytes that a configuration may have", maxFile)}}
	}
	if at := invalid(text); at >= 0 {
		line, column := position(text, at)
		return nil, []Fault{{Line: line, Column: column, Message: "is not UTF-8: save the file in this encoding"}}
	}
	in := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, []Fault{{Message: "is empty: name at least one of the backends, such as\n" + least}}
	case err != nil:
		return nil, []Fault{syntax(err, text)}
	}
	root := doc.Content[0]
	if err := in.Decode(&second); err == nil {
		const message = "here begins a second YAML document: one file is one configuration"
		return nil, []Fault{{Line: second.Line, Column: second.Column, Message: message}}
	} else if !errors.Is(err, io.EOF) {
		return nil, []Fault{syntax(err, text)}
	}
	if root.Kind == yaml.ScalarNode && root.Tag == nullTag {
		return nil, []Fault{{Message: "is empty: name at least one of the backends, such as\n" + least}}
	}
	return root, nil
}

// least is the shortest configuration.
const least = "backends:\n  - target: localhost:50051\n    plaintext: {}"

// invalid finds the first byte that is no UTF-8; -1 for none.
func invalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

// position is the line and the column, in characters, of a byte.
func position(text []byte, at int) (line, column int) {
	before := text[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// What the errors of the YAML parser say: the line, unless it is the first, and never a column; and an alias without an anchor.
var (
	syntaxLine = regexp.MustCompile(`^line (\d+): `)
	anchorless = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// syntax is what the YAML parser says of a text.
func syntax(err error, text []byte) Fault {
	said := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := anchorless.FindStringSubmatch(said); m != nil { // its name may be a secret that begins with "*"
		f := Fault{Message: "this alias stands for nothing, and aliases are not followed: write out what is meant, in quotes if it begins with *"}
		if at := bytes.Index(text, []byte("*"+m[1])); at >= 0 {
			f.Line, f.Column = position(text, at)
		}
		return f
	}
	f := Fault{Line: 1}
	if m := syntaxLine.FindStringSubmatch(said); m != nil {
		f.Line, _ = strconv.Atoi(m[1]) // of digits alone; 0 is unknown
		said = said[len(m[0]):]
	}
	f.Message = "is not YAML: " + said
	if lines := bytes.Split(text, []byte("\n")); f.Line > 0 && f.Line <= len(lines) {
		line := lines[f.Line-1]
		if bytes.ContainsRune(line[:len(line)-len(bytes.TrimLeft(line, " \t"))], '\t') {
			f.Message += "; indent with spaces, not with tabs"
		}
	}
	return f
}
