package search

import (
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// field is a part of a document, of which some say more than others.
type field int

const (
	fieldMethod field = iota // the method's own name
	fieldName                // the tool's
	fieldTitle
	fieldSentence // the first of the description
	fieldDescription
	fieldOwner // the service's own name
	fieldPath  // package
	fieldArguments
	fieldTexts
	fieldResults
	fieldService // what is said of it
	fields
)

// weights say how much a word in a field counts, and bends how much the length of the field takes away from it, from 0 to 1.
var (
	weights = [fields]float32{7, 1.5, 1.3, 5, 1, 1, 1, 0.5, 0.3, 0.3, 0.1}
	bends   = [fields]float32{0.5, 0.5, 0.8, 0.6, 0.7, 0.5, 0.8, 0.8, 0.85, 0.6, 0.65}
)

// saturation is how soon a word that stands there more often stops to count more: the constant k1 of BM25.
const saturation = 2

// posting says how much a word is worth in a document, from 0 to 1: weight if it is the word that was asked for, and heading,
// which is of the fields before [fieldDescription] alone, if it stands for that. What only means the same is found by what a
// method is called and said to do; all the words that are said beside would bring in too much.
//
// share is the part of the method's name that the word is, and plural says that it is a plural there.
type posting struct {
	document               int32
	weight, heading, share float32
	plural                 bool
}

// builder makes an index. Of each document it keeps the words by field until the mean lengths of the fields are known.
type builder struct {
	x       *Index
	read    [][fields][]int32
	plurals [][]int32 // of the names of methods
	lengths [fields]int
	stems   map[string]string // words seen → stems
}

func newBuilder(documents int) *builder {
	x := &Index{documents: documents, words: map[string]int32{}, names: make(map[string][]int32, 2*documents)}
	return &builder{x: x, read: make([][fields][]int32, 0, documents), stems: map[string]string{}}
}

// add reads a document.
func (b *builder) add(d *Document) {
	number := int32(len(b.read))
	for _, name := range []string{fold(d.Name), fold(d.Method)} {
		if places := b.x.names[name]; name != "" && !slices.Contains(places, number) {
			b.x.names[name] = append(places, number)
		}
	}
	service, method := cutLast(d.Method)
	path, owner := cutLast(service)
	method = called(owner, method)
	sentence := annotation.Sentence(d.Description)
	var read [fields][]int32
	for f, texts := range [fields][]string{
		fieldMethod:      {method},
		fieldName:        {d.Name},
		fieldTitle:       {d.Title},
		fieldSentence:    {sentence},
		fieldDescription: {strings.TrimPrefix(d.Description, sentence)},
		fieldOwner:       {owner},
		fieldPath:        {path},
		fieldArguments:   d.Arguments,
		fieldTexts:       d.Texts,
		fieldResults:     d.Results,
		fieldService:     {d.Service},
	} {
		read[f] = b.wordsOf(texts)
		b.lengths[f] += len(read[f])
	}
	b.read = append(b.read, read)
	b.plurals = append(b.plurals, b.pluralsOf(method))
	b.x.traits = append(b.x.traits, trait{intent: intentOf(method), superseded: isSuperseded(d), streams: d.Streams})
}

// cutLast splits a full name before its last part.
func cutLast(name string) (path, last string) {
	dot := strings.LastIndexByte(name, '.')
	return name[:max(dot, 0)], name[dot+1:]
}

// called returns what a method is called: its name and, where that is one word only and says too little, what its service is
// called before: Metrics Export, KV Put.
func called(service, method string) string {
	count := 0
	for range words(method) {
		count++
	}
	if count == 1 {
		return strings.TrimSuffix(service, "Service") + " " + method
	}
	return method
}

// wordsOf returns the numbers of the words of texts that say something.
func (b *builder) wordsOf(texts []string) []int32 {
	var list []int32
	for _, text := range texts {
		for word := range words(text) {
			if !stopWords[word] && !questions[word] {
				list = append(list, b.number(word))
			}
		}
	}
	return list
}

// pluralsOf returns the numbers of the words of a text that are plurals.
func (b *builder) pluralsOf(text string) []int32 {
	var list []int32
	for word := range words(text) {
		if isPlural(word) {
			list = append(list, b.number(word))
		}
	}
	return list
}

// number returns that of a word's stem, which is new or not.
func (b *builder) number(word string) int32 {
	stemmed, ok := b.stems[word]
	if !ok {
		stemmed = stem(word)
		b.stems[word] = stemmed
	}
	n, ok := b.x.words[stemmed]
	if !ok {
		n = int32(len(b.x.words))
		b.x.words[stemmed] = n
		b.x.sorted = append(b.x.sorted, stemmed)
	}
	return n
}

// index weighs the words of all documents.
func (b *builder) index() *Index {
	b.x.postings = make([][]posting, len(b.x.words))
	sums := make([]posting, len(b.x.words)) // of the document at hand
	for i := range b.read {
		b.weigh(int32(i), sums)
	}
	b.share()
	slices.Sort(b.x.sorted)
	return b.x
}

// weigh adds the postings of a document. A field adds what it weighs for each time that the word stands there, less in a
// longer field; then repetition saturates, once for all fields (BM25F).
func (b *builder) weigh(document int32, sums []posting) {
	var seen []int32
	for f, list := range b.read[document] {
		mean := float32(b.lengths[f]) / float32(len(b.read))
		for _, word := range list {
			sum := &sums[word]
			if sum.weight == 0 {
				seen = append(seen, word)
			}
			worth := weights[f] / (1 - bends[f] + bends[f]*float32(len(list))/mean)
			sum.weight += worth
			if field(f) < fieldDescription {
				sum.heading += worth
			}
			if field(f) == fieldMethod {
				sum.share++
			}
		}
	}
	for _, word := range seen {
		sum := sums[word]
		plural := slices.Contains(b.plurals[document], word)
		b.x.postings[word] = append(b.x.postings[word],
			posting{document, saturated(sum.weight), saturated(sum.heading), sum.share, plural})
		sums[word] = posting{}
	}
}

// share makes parts of the name, which are 1 together, of how often each word stands in the name of a method. A rare word is a
// larger part: what sets GetBook apart from all that gets something is the book.
func (b *builder) share() {
	rare := make([]float32, len(b.x.postings))
	for word, list := range b.x.postings {
		rare[word] = rarity(b.x.documents, len(list))
	}
	whole := make([]float32, b.x.documents)
	for document := range b.read {
		for _, word := range b.read[document][fieldMethod] {
			whole[document] += rare[word]
		}
	}
	for word, list := range b.x.postings {
		for i := range list {
			if p := &list[i]; p.share > 0 {
				p.share *= rare[word] / whole[p.document]
			}
		}
	}
}

func saturated(sum float32) float32 { return sum / (saturation + sum) }
