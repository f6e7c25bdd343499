package shape

import "strings"

// Nearest returns the candidate that name was probably meant to be, or "" when none is near. A candidate that differs
// only in letter case and underscores comes first ("PageSize" → "pageSize"), then the one with the fewest single-letter
// edits and swaps, at most a third of the name's length; among equals the earlier. Names over 128 bytes have no nearest.
func Nearest(name string, candidates []string) string {
	if len(name) > 2*maxName {
		return ""
	}
	folded := fold(name)
	best, bestDistance := "", len(folded)/3+1
	for _, c := range candidates {
		if len(c) > 2*maxName {
			continue
		}
		fc := fold(c)
		if fc == folded {
			return c
		}
		if d := distance(folded, fc, bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// fold removes what people get wrong about names first: letter case, underscores, hyphens, dots and spaces.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours between a and b (optimal string
// alignment, over bytes), giving up with limit when their lengths alone are that far apart.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			substitute := prev[j-1]
			if a[i-1] != b[j-1] {
				substitute++
			}
			row[j] = min(substitute, prev[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
