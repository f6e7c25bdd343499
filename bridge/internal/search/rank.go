package search

import (
	"cmp"
	"math"
	"slices"
)

// ranking is one search under way.
type ranking struct {
	index   *Index
	intent  intent
	keep    func(int) bool
	found   []found // by document
	touched []int32 // documents with a score, each once
	fresh   []int32 // documents that have the present group
	asked   float32 // the worth of the groups so far
}

// found is what a document has of the query.
type found struct {
	// score is what its words are worth, and best what the present group is.
	score, best float32
	// covered is the worth of the groups that it has, of all that were asked; named is the part of its method's name that
	// was asked for, and part that of the present group.
	covered, named, part float32
}

// group adds what a word of the query is worth in each document. A document has the word once, be it by several members. A
// word that is in many documents counts less; those that only stand for it count as one word there.
func (r *ranking) group(g group) {
	holders := 0
	for _, m := range g.members {
		holders += len(r.index.postings[m.word])
	}
	for _, m := range g.members {
		r.member(g, m, rarity(r.index.documents, min(holders, r.index.documents)))
	}
	r.asked += g.worth
	for _, d := range r.fresh {
		f := &r.found[d]
		r.add(d, f.best)
		f.covered += g.worth
		f.named += f.part
		f.best, f.part = 0, 0
	}
	r.fresh = r.fresh[:0]
}

// member notes the documents of a member of the present group; together is the rarity of all its members. One that stands in
// the method's name gains by being there in the number in which it was asked for.
func (r *ranking) member(g group, m member, together float32) {
	postings := r.index.postings[m.word]
	rare := rarity(r.index.documents, len(postings))
	if m.share < 1 {
		rare = together
	}
	for _, p := range postings {
		weight := p.weight
		if m.share < 1 {
			weight = p.heading
		}
		if p.share > 0 && p.plural == g.plural {
			weight *= 1 + agreeing
		}
		if weight > 0 {
			r.fits(p.document, weight*rare*g.worth*m.share, p.share*m.share)
		}
	}
}

// rarity is the inverse document frequency of BM25, which is above zero.
func rarity(documents, holders int) float32 {
	return float32(math.Log1p((float64(documents-holders) + 0.5) / (float64(holders) + 0.5)))
}

// fits notes that a document has a member of the present group.
func (r *ranking) fits(document int32, score, part float32) {
	f := &r.found[document]
	if f.best == 0 {
		if !r.keep(int(document)) {
			return
		}
		r.fresh = append(r.fresh, document)
	}
	f.best, f.part = max(f.best, score), max(f.part, part)
}

// add raises the score of a document.
func (r *ranking) add(document int32, score float32) {
	if r.found[document].score == 0 {
		r.touched = append(r.touched, document)
	}
	r.found[document].score += score
}

// What a document gains and loses, as parts of its score.
const (
	coverage   = 0.65 // lost with none of the words
	naming     = 0.35 // gained with no other words in the name of the method than those that were asked for
	agreeing   = 0.12 // gained by a word that is a plural in the name as in the query, or a singular in both
	fitting    = 0.2  // gained by a method whose verb is of the sort that was asked for
	contrary   = 0.4  // lost by one whose verb is of another sort
	superseded = 0.2  // lost by one that is deprecated, or of a version that is not final
	streamed   = 0.4  // lost by one that streams
)

// poor is the part of the best score below which a document is left out.
const poor = 0.15

// places returns the documents in their order.
func (r *ranking) places() []int {
	var top float32
	for _, d := range r.touched {
		f := &r.found[d]
		f.score *= (1 - coverage + coverage*f.covered/r.asked) * (1 + naming*min(f.named, 1)) * r.index.traits[d].factor(r.intent)
		top = max(top, f.score)
	}
	r.touched = slices.DeleteFunc(r.touched, func(d int32) bool { return r.found[d].score < top*poor })
	slices.SortFunc(r.touched, r.compare)
	places := make([]int, len(r.touched))
	for i, d := range r.touched {
		places[i] = int(d)
	}
	return places
}

// compare orders documents: by score, and equal ones by their places.
func (r *ranking) compare(a, b int32) int {
	switch left, right := r.found[a].score, r.found[b].score; {
	case left > right:
		return -1
	case left < right:
		return 1
	}
	return cmp.Compare(a, b)
}
